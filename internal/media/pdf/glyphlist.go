package pdf

import (
	"strconv"
	"strings"
	"sync"
)

// glyphNames maps the names of glyphs to characters: the part of the Adobe Glyph List for European scripts and symbols.
// Letters have their own names and are missing here.
var glyphNames = sync.OnceValue(func() map[string]rune {
	names := map[string]rune{}
	for _, pair := range strings.FieldsFunc(glyphList, func(r rune) bool { return r == ';' || r == '\n' }) {
		code, name, _ := strings.Cut(pair, " ")
		value, _ := strconv.ParseUint(code, 16, 32)
		names[name] = rune(value)
	}
	return names
})

const glyphList = `
0020 space;0020 spacehackarabic;0021 exclam;0022 quotedbl;0023 numbersign;0024 dollar;0025 percent;0026 ampersand
0027 quotesingle;0028 parenleft;0029 parenright;002A asterisk;002B plus;002C comma;002D hyphen;002E period;002F slash
0030 zero;0031 one;0032 two;0033 three;0034 four;0035 five;0036 six;0037 seven;0038 eight;0039 nine;003A colon
003B semicolon;003C less;003D equal;003E greater;003F question;0040 at;005B bracketleft;005C backslash
005D bracketright;005E asciicircum;005F underscore;0060 grave;007B braceleft;007C bar;007C verticalbar;007D braceright
007E asciitilde;007F controlDEL;00A0 nbspace;00A0 nonbreakingspace;00A1 exclamdown;00A2 cent;00A3 sterling
00A4 currency;00A5 yen;00A6 brokenbar;00A7 section;00A8 dieresis;00A9 copyright;00AA ordfeminine;00AB guillemotleft
00AC logicalnot;00AD sfthyphen;00AD softhyphen;00AE registered;00AF macron;00AF overscore;00B0 degree;00B1 plusminus
00B2 twosuperior;00B3 threesuperior;00B4 acute;00B5 mu;00B5 mu1;00B6 paragraph;00B7 middot;00B7 periodcentered
00B8 cedilla;00B9 onesuperior;00BA ordmasculine;00BB guillemotright;00BC onequarter;00BD onehalf;00BE threequarters
00BF questiondown;00C0 Agrave;00C1 Aacute;00C2 Acircumflex;00C3 Atilde;00C4 Adieresis;00C5 Aring;00C6 AE;00C7 Ccedilla
00C8 Egrave;00C9 Eacute;00CA Ecircumflex;00CB Edieresis;00CC Igrave;00CD Iacute;00CE Icircumflex;00CF Idieresis
00D0 Eth;00D1 Ntilde;00D2 Ograve;00D3 Oacute;00D4 Ocircumflex;00D5 Otilde;00D6 Odieresis;00D7 multiply;00D8 Oslash
00D9 Ugrave;00DA Uacute;00DB Ucircumflex;00DC Udieresis;00DD Yacute;00DE Thorn;00DF germandbls;00E0 agrave;00E1 aacute
00E2 acircumflex;00E3 atilde;00E4 adieresis;00E5 aring;00E6 ae;00E7 ccedilla;00E8 egrave;00E9 eacute;00EA ecircumflex
00EB edieresis;00EC igrave;00ED iacute;00EE icircumflex;00EF idieresis;00F0 eth;00F1 ntilde;00F2 ograve;00F3 oacute
00F4 ocircumflex;00F5 otilde;00F6 odieresis;00F7 divide;00F8 oslash;00F9 ugrave;00FA uacute;00FB ucircumflex
00FC udieresis;00FD yacute;00FE thorn;00FF ydieresis;0100 Amacron;0101 amacron;0102 Abreve;0103 abreve;0104 Aogonek
0105 aogonek;0106 Cacute;0107 cacute;0108 Ccircumflex;0109 ccircumflex;010A Cdot;010A Cdotaccent;010B cdot
010B cdotaccent;010C Ccaron;010D ccaron;010E Dcaron;010F dcaron;0110 Dcroat;0110 Dslash;0111 dcroat;0111 dmacron
0112 Emacron;0113 emacron;0114 Ebreve;0115 ebreve;0116 Edot;0116 Edotaccent;0117 edot;0117 edotaccent;0118 Eogonek
0119 eogonek;011A Ecaron;011B ecaron;011C Gcircumflex;011D gcircumflex;011E Gbreve;011F gbreve;0120 Gdot
0120 Gdotaccent;0121 gdot;0121 gdotaccent;0122 Gcedilla;0122 Gcommaaccent;0123 gcedilla;0123 gcommaaccent
0124 Hcircumflex;0125 hcircumflex;0126 Hbar;0127 hbar;0128 Itilde;0129 itilde;012A Imacron;012B imacron;012C Ibreve
012D ibreve;012E Iogonek;012F iogonek;0130 Idot;0130 Idotaccent;0131 dotlessi;0132 IJ;0133 ij;0134 Jcircumflex
0135 jcircumflex;0136 Kcedilla;0136 Kcommaaccent;0137 kcedilla;0137 kcommaaccent;0138 kgreenlandic;0139 Lacute
013A lacute;013B Lcedilla;013B Lcommaaccent;013C lcedilla;013C lcommaaccent;013D Lcaron;013E lcaron;013F Ldot
013F Ldotaccent;0140 ldot;0140 ldotaccent;0141 Lslash;0142 lslash;0143 Nacute;0144 nacute;0145 Ncedilla
0145 Ncommaaccent;0146 ncedilla;0146 ncommaaccent;0147 Ncaron;0148 ncaron;0149 napostrophe;0149 quoterightn;014A Eng
014B eng;014C Omacron;014D omacron;014E Obreve;014F obreve;0150 Odblacute;0150 Ohungarumlaut;0151 odblacute
0151 ohungarumlaut;0152 OE;0153 oe;0154 Racute;0155 racute;0156 Rcedilla;0156 Rcommaaccent;0157 rcedilla
0157 rcommaaccent;0158 Rcaron;0159 rcaron;015A Sacute;015B sacute;015C Scircumflex;015D scircumflex;015E Scedilla
015F scedilla;0160 Scaron;0161 scaron;0162 Tcedilla;0162 Tcommaaccent;0163 tcedilla;0163 tcommaaccent;0164 Tcaron
0165 tcaron;0166 Tbar;0167 tbar;0168 Utilde;0169 utilde;016A Umacron;016B umacron;016C Ubreve;016D ubreve;016E Uring
016F uring;0170 Udblacute;0170 Uhungarumlaut;0171 udblacute;0171 uhungarumlaut;0172 Uogonek;0173 uogonek
0174 Wcircumflex;0175 wcircumflex;0176 Ycircumflex;0177 ycircumflex;0178 Ydieresis;0179 Zacute;017A zacute;017B Zdot
017B Zdotaccent;017C zdot;017C zdotaccent;017D Zcaron;017E zcaron;017F longs;017F slong;0180 bstroke;0181 Bhook
0182 Btopbar;0183 btopbar;0184 Tonesix;0185 tonesix;0186 Oopen;0187 Chook;0188 chook;0189 Dafrican;018A Dhook
018B Dtopbar;018C dtopbar;018D deltaturned;018E Ereversed;018F Schwa;0190 Eopen;0191 Fhook;0192 florin;0193 Ghook
0194 Gammaafrican;0195 hv;0196 Iotaafrican;0197 Istroke;0198 Khook;0199 khook;019A lbar;019B lambdastroke;019C Mturned
019D Nhookleft;019E nlegrightlong;019F Ocenteredtilde;01A0 Ohorn;01A1 ohorn;01A2 Oi;01A3 oi;01A4 Phook;01A5 phook
01A6 yr;01A7 Tonetwo;01A8 tonetwo;01A9 Esh;01AA eshreversedloop;01AB tpalatalhook;01AC Thook;01AD thook
01AE Tretroflexhook;01AF Uhorn;01B0 uhorn;01B1 Upsilonafrican;01B2 Vhook;01B3 Yhook;01B4 yhook;01B5 Zstroke
01B6 zstroke;01B7 Ezh;01B8 Ezhreversed;01B9 ezhreversed;01BA ezhtail;01BB twostroke;01BC Tonefive;01BD tonefive
01BE glottalinvertedstroke;01BF wynn;01C0 clickdental;01C1 clicklateral;01C2 clickalveolar;01C3 clickretroflex
01C4 DZcaron;01C5 Dzcaron;01C6 dzcaron;01C7 LJ;01C8 Lj;01C9 lj;01CA NJ;01CB Nj;01CC nj;01CD Acaron;01CE acaron
01CF Icaron;01D0 icaron;01D1 Ocaron;01D2 ocaron;01D3 Ucaron;01D4 ucaron;01D5 Udieresismacron;01D6 udieresismacron
01D7 Udieresisacute;01D8 udieresisacute;01D9 Udieresiscaron;01DA udieresiscaron;01DB Udieresisgrave
01DC udieresisgrave;01DD eturned;01DE Adieresismacron;01DF adieresismacron;01E0 Adotmacron;01E1 adotmacron
01E2 AEmacron;01E3 aemacron;01E4 Gstroke;01E5 gstroke;01E6 Gcaron;01E7 gcaron;01E8 Kcaron;01E9 kcaron;01EA Oogonek
01EB oogonek;01EC Oogonekmacron;01ED oogonekmacron;01EE Ezhcaron;01EF ezhcaron;01F0 jcaron;01F1 DZ;01F2 Dz;01F3 dz
01F4 Gacute;01F5 gacute;01FA Aringacute;01FB aringacute;01FC AEacute;01FD aeacute;01FE Oslashacute;01FE Ostrokeacute
01FF oslashacute;01FF ostrokeacute;0200 Adblgrave;0201 adblgrave;0202 Ainvertedbreve;0203 ainvertedbreve
0204 Edblgrave;0205 edblgrave;0206 Einvertedbreve;0207 einvertedbreve;0208 Idblgrave;0209 idblgrave
020A Iinvertedbreve;020B iinvertedbreve;020C Odblgrave;020D odblgrave;020E Oinvertedbreve;020F oinvertedbreve
0210 Rdblgrave;0211 rdblgrave;0212 Rinvertedbreve;0213 rinvertedbreve;0214 Udblgrave;0215 udblgrave
0216 Uinvertedbreve;0217 uinvertedbreve;0218 Scommaaccent;0219 scommaaccent;0250 aturned;0251 ascript
0252 ascriptturned;0253 bhook;0254 oopen;0255 ccurl;0256 dtail;0257 dhook;0258 ereversed;0259 schwa;025A schwahook
025B eopen;025C eopenreversed;025D eopenreversedhook;025E eopenreversedclosed;025F jdotlessstroke;0260 ghook
0261 gscript;0263 gammalatinsmall;0264 ramshorn;0265 hturned;0266 hhook;0267 henghook;0268 istroke;0269 iotalatin
026B lmiddletilde;026C lbelt;026D lhookretroflex;026E lezh;026F mturned;0270 mlonglegturned;0271 mhook;0272 nhookleft
0273 nhookretroflex;0275 obarred;0277 omegalatinclosed;0278 philatin;0279 rturned;027A rlonglegturned;027B rhookturned
027C rlongleg;027D rhook;027E rfishhook;027F rfishhookreversed;0281 Rsmallinverted;0282 shook;0283 esh
0284 dotlessjstrokehook;0285 eshsquatreversed;0286 eshcurl;0287 tturned;0288 tretroflexhook;0289 ubar
028A upsilonlatin;028B vhook;028C vturned;028D wturned;028E yturned;0290 zretroflexhook;0291 zcurl;0292 ezh
0293 ezhcurl;0294 glottalstop;0295 glottalstopreversed;0296 glottalstopinverted;0297 cstretched;0298 bilabialclick
029A eopenclosed;029B Gsmallhook;029D jcrossedtail;029E kturned;02A0 qhook;02A1 glottalstopstroke
02A2 glottalstopstrokereversed;02A3 dzaltone;02A4 dezh;02A5 dzcurl;02A6 ts;02A7 tesh;02A8 tccurl;02B0 hsuperior
02B1 hhooksuperior;02B2 jsuperior;02B4 rturnedsuperior;02B5 rhookturnedsuperior;02B6 Rsmallinvertedsuperior
02B7 wsuperior;02B8 ysuperior;02B9 primemod;02BA dblprimemod;02BB commaturnedmod;02BC afii57929;02BC apostrophemod
02BD afii64937;02BD commareversedmod;02BE ringhalfright;02BF ringhalfleft;02C0 glottalstopmod
02C1 glottalstopreversedmod;02C2 arrowheadleftmod;02C3 arrowheadrightmod;02C4 arrowheadupmod;02C5 arrowheaddownmod
02C6 circumflex;02C7 caron;02C8 verticallinemod;02C9 firsttonechinese;02CA secondtonechinese;02CB fourthtonechinese
02CC verticallinelowmod;02CD macronlowmod;02CE gravelowmod;02CF acutelowmod;02D0 colontriangularmod
02D1 colontriangularhalfmod;02D2 ringhalfrightcentered;02D3 ringhalfleftcentered;02D4 uptackmod;02D5 downtackmod
02D6 plusmod;02D7 minusmod;02D8 breve;02D9 dotaccent;02DA ring;02DB ogonek;02DC ilde;02DC tilde;02DD hungarumlaut
02DE rhotichookmod;02E0 gammasuperior;02E3 xsuperior;02E4 glottalstopreversedsuperior;02E5 tonebarextrahighmod
02E6 tonebarhighmod;02E7 tonebarmidmod;02E8 tonebarlowmod;02E9 tonebarextralowmod;0300 gravecmb;0300 gravecomb
0301 acutecmb;0301 acutecomb;0302 circumflexcmb;0303 tildecmb;0303 tildecomb;0304 macroncmb;0305 overlinecmb
0306 brevecmb;0307 dotaccentcmb;0308 dieresiscmb;0309 hookabovecomb;0309 hookcmb;030A ringcmb;030B hungarumlautcmb
030C caroncmb;030D verticallineabovecmb;030E dblverticallineabovecmb;030F dblgravecmb;0310 candrabinducmb
0311 breveinvertedcmb;0312 commaturnedabovecmb;0313 commaabovecmb;0314 commareversedabovecmb;0315 commaaboverightcmb
0316 gravebelowcmb;0317 acutebelowcmb;0318 lefttackbelowcmb;0319 righttackbelowcmb;031A leftangleabovecmb;031B horncmb
031C ringhalfleftbelowcmb;031D uptackbelowcmb;031E downtackbelowcmb;031F plusbelowcmb;0320 minusbelowcmb
0321 hookpalatalizedbelowcmb;0322 hookretroflexbelowcmb;0323 dotbelowcmb;0323 dotbelowcomb;0324 dieresisbelowcmb
0325 ringbelowcmb;0327 cedillacmb;0328 ogonekcmb;0329 verticallinebelowcmb;032A bridgebelowcmb
032B dblarchinvertedbelowcmb;032C caronbelowcmb;032D circumflexbelowcmb;032E brevebelowcmb;032F breveinvertedbelowcmb
0330 tildebelowcmb;0331 macronbelowcmb;0332 lowlinecmb;0333 dbllowlinecmb;0334 tildeoverlaycmb
0335 strokeshortoverlaycmb;0336 strokelongoverlaycmb;0337 solidusshortoverlaycmb;0338 soliduslongoverlaycmb
0339 ringhalfrightbelowcmb;033A bridgeinvertedbelowcmb;033B squarebelowcmb;033C seagullbelowcmb;033D xabovecmb
033E tildeverticalcmb;033F dbloverlinecmb;0340 gravetonecmb;0341 acutetonecmb;0342 perispomenigreekcmb;0343 koroniscmb
0344 dialytikatonoscmb;0345 ypogegrammenigreekcmb;0360 tildedoublecmb;0361 breveinverteddoublecmb
0374 numeralsigngreek;0375 numeralsignlowergreek;037A ypogegrammeni;037E questiongreek;0384 tonos;0385 dialytikatonos
0385 dieresistonos;0386 Alphatonos;0387 anoteleia;0388 Epsilontonos;0389 Etatonos;038A Iotatonos;038C Omicrontonos
038E Upsilontonos;038F Omegatonos;0390 iotadieresistonos;0391 Alpha;0392 Beta;0393 Gamma;0394 Deltagreek;0395 Epsilon
0396 Zeta;0397 Eta;0398 Theta;0399 Iota;039A Kappa;039B Lambda;039C Mu;039D Nu;039E Xi;039F Omicron;03A0 Pi;03A1 Rho
03A3 Sigma;03A4 Tau;03A5 Upsilon;03A6 Phi;03A7 Chi;03A8 Psi;03A9 Omegagreek;03AA Iotadieresis;03AB Upsilondieresis
03AC alphatonos;03AD epsilontonos;03AE etatonos;03AF iotatonos;03B0 upsilondieresistonos;03B1 alpha;03B2 beta
03B3 gamma;03B4 delta;03B5 epsilon;03B6 zeta;03B7 eta;03B8 theta;03B9 iota;03BA kappa;03BB lambda;03BC mugreek;03BD nu
03BE xi;03BF omicron;03C0 pi;03C1 rho;03C2 sigma1;03C2 sigmafinal;03C3 sigma;03C4 tau;03C5 upsilon;03C6 phi;03C7 chi
03C8 psi;03C9 omega;03CA iotadieresis;03CB upsilondieresis;03CC omicrontonos;03CD upsilontonos;03CE omegatonos
03D0 betasymbolgreek;03D1 theta1;03D1 thetasymbolgreek;03D2 Upsilon1;03D2 Upsilonhooksymbol
03D3 Upsilonacutehooksymbolgreek;03D4 Upsilondieresishooksymbolgreek;03D5 phi1;03D5 phisymbolgreek;03D6 omega1
03D6 pisymbolgreek;03DA Stigmagreek;03DC Digammagreek;03DE Koppagreek;03E0 Sampigreek;03E2 Sheicoptic;03E3 sheicoptic
03E4 Feicoptic;03E5 feicoptic;03E6 Kheicoptic;03E7 kheicoptic;03E8 Horicoptic;03E9 horicoptic;03EA Gangiacoptic
03EB gangiacoptic;03EC Shimacoptic;03ED shimacoptic;03EE Deicoptic;03EF deicoptic;03F0 kappasymbolgreek
03F1 rhosymbolgreek;03F2 sigmalunatesymbolgreek;03F3 yotgreek;0401 Iocyrillic;0401 afii10023;0402 Djecyrillic
0402 afii10051;0403 Gjecyrillic;0403 afii10052;0404 Ecyrillic;0404 afii10053;0405 Dzecyrillic;0405 afii10054
0406 Icyrillic;0406 afii10055;0407 Yicyrillic;0407 afii10056;0408 Jecyrillic;0408 afii10057;0409 Ljecyrillic
0409 afii10058;040A Njecyrillic;040A afii10059;040B Tshecyrillic;040B afii10060;040C Kjecyrillic;040C afii10061
040E Ushortcyrillic;040E afii10062;040F Dzhecyrillic;040F afii10145;0410 Acyrillic;0410 afii10017;0411 Becyrillic
0411 afii10018;0412 Vecyrillic;0412 afii10019;0413 Gecyrillic;0413 afii10020;0414 Decyrillic;0414 afii10021
0415 Iecyrillic;0415 afii10022;0416 Zhecyrillic;0416 afii10024;0417 Zecyrillic;0417 afii10025;0418 Iicyrillic
0418 afii10026;0419 Iishortcyrillic;0419 afii10027;041A Kacyrillic;041A afii10028;041B Elcyrillic;041B afii10029
041C Emcyrillic;041C afii10030;041D Encyrillic;041D afii10031;041E Ocyrillic;041E afii10032;041F Pecyrillic
041F afii10033;0420 Ercyrillic;0420 afii10034;0421 Escyrillic;0421 afii10035;0422 Tecyrillic;0422 afii10036
0423 Ucyrillic;0423 afii10037;0424 Efcyrillic;0424 afii10038;0425 Khacyrillic;0425 afii10039;0426 Tsecyrillic
0426 afii10040;0427 Checyrillic;0427 afii10041;0428 Shacyrillic;0428 afii10042;0429 Shchacyrillic;0429 afii10043
042A Hardsigncyrillic;042A afii10044;042B Yericyrillic;042B afii10045;042C Softsigncyrillic;042C afii10046
042D Ereversedcyrillic;042D afii10047;042E IUcyrillic;042E afii10048;042F IAcyrillic;042F afii10049;0430 acyrillic
0430 afii10065;0431 afii10066;0431 becyrillic;0432 afii10067;0432 vecyrillic;0433 afii10068;0433 gecyrillic
0434 afii10069;0434 decyrillic;0435 afii10070;0435 iecyrillic;0436 afii10072;0436 zhecyrillic;0437 afii10073
0437 zecyrillic;0438 afii10074;0438 iicyrillic;0439 afii10075;0439 iishortcyrillic;043A afii10076;043A kacyrillic
043B afii10077;043B elcyrillic;043C afii10078;043C emcyrillic;043D afii10079;043D encyrillic;043E afii10080
043E ocyrillic;043F afii10081;043F pecyrillic;0440 afii10082;0440 ercyrillic;0441 afii10083;0441 escyrillic
0442 afii10084;0442 tecyrillic;0443 afii10085;0443 ucyrillic;0444 afii10086;0444 efcyrillic;0445 afii10087
0445 khacyrillic;0446 afii10088;0446 tsecyrillic;0447 afii10089;0447 checyrillic;0448 afii10090;0448 shacyrillic
0449 afii10091;0449 shchacyrillic;044A afii10092;044A hardsigncyrillic;044B afii10093;044B yericyrillic;044C afii10094
044C softsigncyrillic;044D afii10095;044D ereversedcyrillic;044E afii10096;044E iucyrillic;044F afii10097
044F iacyrillic;0451 afii10071;0451 iocyrillic;0452 afii10099;0452 djecyrillic;0453 afii10100;0453 gjecyrillic
0454 afii10101;0454 ecyrillic;0455 afii10102;0455 dzecyrillic;0456 afii10103;0456 icyrillic;0457 afii10104
0457 yicyrillic;0458 afii10105;0458 jecyrillic;0459 afii10106;0459 ljecyrillic;045A afii10107;045A njecyrillic
045B afii10108;045B tshecyrillic;045C afii10109;045C kjecyrillic;045E afii10110;045E ushortcyrillic;045F afii10193
045F dzhecyrillic;0460 Omegacyrillic;0461 omegacyrillic;0462 Yatcyrillic;0462 afii10146;0463 afii10194
0463 yatcyrillic;0464 Eiotifiedcyrillic;0465 eiotifiedcyrillic;0466 Yuslittlecyrillic;0467 yuslittlecyrillic
0468 Yuslittleiotifiedcyrillic;0469 yuslittleiotifiedcyrillic;046A Yusbigcyrillic;046B yusbigcyrillic
046C Yusbigiotifiedcyrillic;046D yusbigiotifiedcyrillic;046E Ksicyrillic;046F ksicyrillic;0470 Psicyrillic
0471 psicyrillic;0472 Fitacyrillic;0472 afii10147;0473 afii10195;0473 fitacyrillic;0474 Izhitsacyrillic;0474 afii10148
0475 afii10196;0475 izhitsacyrillic;0476 Izhitsadblgravecyrillic;0477 izhitsadblgravecyrillic;0478 Ukcyrillic
0479 ukcyrillic;047A Omegaroundcyrillic;047B omegaroundcyrillic;047C Omegatitlocyrillic;047D omegatitlocyrillic
047E Otcyrillic;047F otcyrillic;0480 Koppacyrillic;0481 koppacyrillic;0482 thousandcyrillic;0483 titlocyrilliccmb
0484 palatalizationcyrilliccmb;0485 dasiapneumatacyrilliccmb;0486 psilipneumatacyrilliccmb;0490 Gheupturncyrillic
0490 afii10050;0491 afii10098;0491 gheupturncyrillic;0492 Ghestrokecyrillic;0493 ghestrokecyrillic
0494 Ghemiddlehookcyrillic;0495 ghemiddlehookcyrillic;0496 Zhedescendercyrillic;0497 zhedescendercyrillic
0498 Zedescendercyrillic;0499 zedescendercyrillic;049A Kadescendercyrillic;049B kadescendercyrillic
049C Kaverticalstrokecyrillic;049D kaverticalstrokecyrillic;049E Kastrokecyrillic;049F kastrokecyrillic
04A0 Kabashkircyrillic;04A1 kabashkircyrillic;04A2 Endescendercyrillic;04A3 endescendercyrillic;04A4 Enghecyrillic
04A5 enghecyrillic;04A6 Pemiddlehookcyrillic;04A7 pemiddlehookcyrillic;04A8 Haabkhasiancyrillic
04A9 haabkhasiancyrillic;04AA Esdescendercyrillic;04AB esdescendercyrillic;04AC Tedescendercyrillic
04AD tedescendercyrillic;04AE Ustraightcyrillic;04AF ustraightcyrillic;04B0 Ustraightstrokecyrillic
04B1 ustraightstrokecyrillic;04B2 Hadescendercyrillic;04B3 hadescendercyrillic;04B4 Tetsecyrillic;04B5 tetsecyrillic
04B6 Chedescendercyrillic;04B7 chedescendercyrillic;04B8 Cheverticalstrokecyrillic;04B9 cheverticalstrokecyrillic
04BA Shhacyrillic;04BB shhacyrillic;04BC Cheabkhasiancyrillic;04BD cheabkhasiancyrillic
04BE Chedescenderabkhasiancyrillic;04BF chedescenderabkhasiancyrillic;04C0 palochkacyrillic;04C1 Zhebrevecyrillic
04C2 zhebrevecyrillic;04C3 Kahookcyrillic;04C4 kahookcyrillic;04C7 Enhookcyrillic;04C8 enhookcyrillic
04CB Chekhakassiancyrillic;04CC chekhakassiancyrillic;04D0 Abrevecyrillic;04D1 abrevecyrillic;04D2 Adieresiscyrillic
04D3 adieresiscyrillic;04D4 Aiecyrillic;04D5 aiecyrillic;04D6 Iebrevecyrillic;04D7 iebrevecyrillic;04D8 Schwacyrillic
04D9 afii10846;04D9 schwacyrillic;04DA Schwadieresiscyrillic;04DB schwadieresiscyrillic;04DC Zhedieresiscyrillic
04DD zhedieresiscyrillic;04DE Zedieresiscyrillic;04DF zedieresiscyrillic;04E0 Dzeabkhasiancyrillic
04E1 dzeabkhasiancyrillic;04E2 Imacroncyrillic;04E3 imacroncyrillic;04E4 Idieresiscyrillic;04E5 idieresiscyrillic
04E6 Odieresiscyrillic;04E7 odieresiscyrillic;04E8 Obarredcyrillic;04E9 obarredcyrillic;04EA Obarreddieresiscyrillic
04EB obarreddieresiscyrillic;04EE Umacroncyrillic;04EF umacroncyrillic;04F0 Udieresiscyrillic;04F1 udieresiscyrillic
04F2 Uhungarumlautcyrillic;04F3 uhungarumlautcyrillic;04F4 Chedieresiscyrillic;04F5 chedieresiscyrillic
04F8 Yerudieresiscyrillic;04F9 yerudieresiscyrillic;0531 Aybarmenian;0532 Benarmenian;0533 Gimarmenian;0534 Daarmenian
0535 Echarmenian;0536 Zaarmenian;0537 Eharmenian;0538 Etarmenian;0539 Toarmenian;053A Zhearmenian;053B Iniarmenian
053C Liwnarmenian;053D Xeharmenian;053E Caarmenian;053F Kenarmenian;0540 Hoarmenian;0541 Jaarmenian;0542 Ghadarmenian
0543 Cheharmenian;0544 Menarmenian;0545 Yiarmenian;0546 Nowarmenian;0547 Shaarmenian;0548 Voarmenian;0549 Chaarmenian
054A Peharmenian;054B Jheharmenian;054C Raarmenian;054D Seharmenian;054E Vewarmenian;054F Tiwnarmenian
0550 Reharmenian;0551 Coarmenian;0552 Yiwnarmenian;0553 Piwrarmenian;0554 Keharmenian;0555 Oharmenian;0556 Feharmenian
0559 ringhalfleftarmenian;055A apostrophearmenian;055B emphasismarkarmenian;055C exclamarmenian;055D commaarmenian
055E questionarmenian;055F abbreviationmarkarmenian;0561 aybarmenian;0562 benarmenian;0563 gimarmenian;0564 daarmenian
0565 echarmenian;0566 zaarmenian;0567 eharmenian;0568 etarmenian;0569 toarmenian;056A zhearmenian;056B iniarmenian
056C liwnarmenian;056D xeharmenian;056E caarmenian;056F kenarmenian;0570 hoarmenian;0571 jaarmenian;0572 ghadarmenian
0573 cheharmenian;0574 menarmenian;0575 yiarmenian;0576 nowarmenian;0577 shaarmenian;0578 voarmenian;0579 chaarmenian
057A peharmenian;057B jheharmenian;057C raarmenian;057D seharmenian;057E vewarmenian;057F tiwnarmenian
0580 reharmenian;0581 coarmenian;0582 yiwnarmenian;0583 piwrarmenian;0584 keharmenian;0585 oharmenian;0586 feharmenian
0587 echyiwnarmenian;0589 periodarmenian;1E80 Wgrave;1E81 wgrave;1E82 Wacute;1E83 wacute;1E84 Wdieresis;1E85 wdieresis
1E86 Wdotaccent;1E87 wdotaccent;1E88 Wdotbelow;1E89 wdotbelow;1E8A Xdotaccent;1E8B xdotaccent;1E8C Xdieresis
1E8D xdieresis;1E8E Ydotaccent;1E8F ydotaccent;1E90 Zcircumflex;1E91 zcircumflex;1E92 Zdotbelow;1E93 zdotbelow
1E94 Zlinebelow;1E95 zlinebelow;1E96 hlinebelow;1E97 tdieresis;1E98 wring;1E99 yring;1E9A arighthalfring
1E9B slongdotaccent;1EA0 Adotbelow;1EA1 adotbelow;1EA2 Ahookabove;1EA3 ahookabove;1EA4 Acircumflexacute
1EA5 acircumflexacute;1EA6 Acircumflexgrave;1EA7 acircumflexgrave;1EA8 Acircumflexhookabove;1EA9 acircumflexhookabove
1EAA Acircumflextilde;1EAB acircumflextilde;1EAC Acircumflexdotbelow;1EAD acircumflexdotbelow;1EAE Abreveacute
1EAF abreveacute;1EB0 Abrevegrave;1EB1 abrevegrave;1EB2 Abrevehookabove;1EB3 abrevehookabove;1EB4 Abrevetilde
1EB5 abrevetilde;1EB6 Abrevedotbelow;1EB7 abrevedotbelow;1EB8 Edotbelow;1EB9 edotbelow;1EBA Ehookabove;1EBB ehookabove
1EBC Etilde;1EBD etilde;1EBE Ecircumflexacute;1EBF ecircumflexacute;1EC0 Ecircumflexgrave;1EC1 ecircumflexgrave
1EC2 Ecircumflexhookabove;1EC3 ecircumflexhookabove;1EC4 Ecircumflextilde;1EC5 ecircumflextilde
1EC6 Ecircumflexdotbelow;1EC7 ecircumflexdotbelow;1EC8 Ihookabove;1EC9 ihookabove;1ECA Idotbelow;1ECB idotbelow
1ECC Odotbelow;1ECD odotbelow;1ECE Ohookabove;1ECF ohookabove;1ED0 Ocircumflexacute;1ED1 ocircumflexacute
1ED2 Ocircumflexgrave;1ED3 ocircumflexgrave;1ED4 Ocircumflexhookabove;1ED5 ocircumflexhookabove;1ED6 Ocircumflextilde
1ED7 ocircumflextilde;1ED8 Ocircumflexdotbelow;1ED9 ocircumflexdotbelow;1EDA Ohornacute;1EDB ohornacute
1EDC Ohorngrave;1EDD ohorngrave;1EDE Ohornhookabove;1EDF ohornhookabove;1EE0 Ohorntilde;1EE1 ohorntilde
1EE2 Ohorndotbelow;1EE3 ohorndotbelow;1EE4 Udotbelow;1EE5 udotbelow;1EE6 Uhookabove;1EE7 uhookabove;1EE8 Uhornacute
1EE9 uhornacute;1EEA Uhorngrave;1EEB uhorngrave;1EEC Uhornhookabove;1EED uhornhookabove;1EEE Uhorntilde
1EEF uhorntilde;1EF0 Uhorndotbelow;1EF1 uhorndotbelow;1EF2 Ygrave;1EF3 ygrave;2002 enspace;200B zerowidthspace
200C afii61664;200C zerowidthnonjoiner;200D afii301;200E afii299;200F afii300;2010 hyphentwo;2012 figuredash
2013 endash;2014 emdash;2015 afii00208;2015 horizontalbar;2016 dblverticalbar;2017 dbllowline;2017 underscoredbl
2018 quoteleft;2019 quoteright;201A quotesinglbase;201B quoteleftreversed;201B quotereversed;201C quotedblleft
201D quotedblright;201E quotedblbase;2020 dagger;2021 daggerdbl;2022 bullet;2024 onedotenleader;2025 twodotenleader
2025 twodotleader;2026 ellipsis;202C afii61573;202D afii61574;202E afii61575;2030 perthousand;2032 minute;2033 second
2035 primereversed;2039 guilsinglleft;203A guilsinglright;203B referencemark;203C exclamdbl;203E overline
2042 asterism;2044 fraction;2070 zerosuperior;2074 foursuperior;2075 fivesuperior;2076 sixsuperior;2077 sevensuperior
2078 eightsuperior;2079 ninesuperior;207A plussuperior;207C equalsuperior;207D parenleftsuperior
207E parenrightsuperior;207F nsuperior;2080 zeroinferior;2081 oneinferior;2082 twoinferior;2083 threeinferior
2084 fourinferior;2085 fiveinferior;2086 sixinferior;2087 seveninferior;2088 eightinferior;2089 nineinferior
208D parenleftinferior;208E parenrightinferior;20A1 colonmonetary;20A1 colonsign;20A2 cruzeiro;20A3 franc
20A4 afii08941;20A4 lira;20A7 peseta;20A9 won;20AA afii57636;20AA newsheqelsign;20AA sheqel;20AA sheqelhebrew
20AB dong;20AC Euro;20AC euro;2103 centigrade;2105 afii61248;2105 careof;2109 fahrenheit;2111 Ifraktur;2113 afii61289
2113 lsquare;2116 afii61352;2116 numero;2118 weierstrass;211C Rfraktur;211E prescription;2121 telephone;2122 trademark
2126 Ohm;2126 Omega;212B angstrom;212E estimated;2135 aleph;2153 onethird;2154 twothirds;215B oneeighth
215C threeeighths;215D fiveeighths;215E seveneighths;2160 Oneroman;2161 Tworoman;2162 Threeroman;2163 Fourroman
2164 Fiveroman;2165 Sixroman;2166 Sevenroman;2167 Eightroman;2168 Nineroman;2169 Tenroman;216A Elevenroman
216B Twelveroman;2170 oneroman;2171 tworoman;2172 threeroman;2173 fourroman;2174 fiveroman;2175 sixroman
2176 sevenroman;2177 eightroman;2178 nineroman;2179 tenroman;217A elevenroman;217B twelveroman;2190 arrowleft
2191 arrowup;2192 arrowright;2193 arrowdown;2194 arrowboth;2195 arrowupdn;2196 arrowupleft;2197 arrowupright
2198 arrowdownright;2199 arrowdownleft;21A8 arrowupdnbse;21A8 arrowupdownbase;21B5 carriagereturn
21BC harpoonleftbarbup;21C0 harpoonrightbarbup;21C4 arrowrightoverleft;21C5 arrowupleftofdown;21C6 arrowleftoverright
21CD arrowleftdblstroke;21CF arrowrightdblstroke;21D0 arrowdblleft;21D0 arrowleftdbl;21D1 arrowdblup
21D2 arrowdblright;21D2 dblarrowright;21D3 arrowdbldown;21D4 arrowdblboth;21D4 dblarrowleft;21DE pageup;21DF pagedown
21E0 arrowdashleft;21E1 arrowdashup;21E2 arrowdashright;21E3 arrowdashdown;21E4 arrowtableft;21E5 arrowtabright
21E6 arrowleftwhite;21E7 arrowupwhite;21E8 arrowrightwhite;21E9 arrowdownwhite;21EA capslock;2200 forall
2200 universal;2202 partialdiff;2203 existential;2203 thereexists;2205 emptyset;2206 Delta;2206 increment
2207 gradient;2207 nabla;2208 element;2209 notelement;2209 notelementof;220B suchthat;220C notcontains;220F product
2211 summation;2212 minus;2213 minusplus;2215 divisionslash;2217 asteriskmath;2219 bulletoperator;221A radical
221D proportional;221E infinity;221F orthogonal;221F rightangle;2220 angle;2223 divides;2225 parallel;2226 notparallel
2227 logicaland;2228 logicalor;2229 intersection;222A union;222B integral;222C dblintegral;222E contourintegral
2234 therefore;2235 because;2236 ratio;2237 proportion;223C similar;223C tildeoperator;223D reversedtilde
2243 asymptoticallyequal;2245 approximatelyequal;2245 congruent;2248 approxequal;224C allequal;2250 approaches
2251 geometricallyequal;2252 approxequalorimage;2253 imageorapproximatelyequal;2260 notequal;2261 equivalence
2262 notidentical;2264 lessequal;2265 greaterequal;2266 lessoverequal;2267 greateroverequal;226A muchless
226B muchgreater;226E notless;226F notgreater;2270 notlessnorequal;2271 notgreaternorequal;2272 lessorequivalent
2273 greaterorequivalent;2276 lessorgreater;2277 greaterorless;2279 notgreaternorless;227A precedes;227B succeeds
2280 notprecedes;2281 notsucceeds;2282 propersubset;2282 subset;2283 propersuperset;2283 superset;2284 notsubset
2285 notsuperset;2286 reflexsubset;2286 subsetorequal;2287 reflexsuperset;2287 supersetorequal;228A subsetnotequal
228B supersetnotequal;2295 circleplus;2295 pluscircle;2296 minuscircle;2297 circlemultiply;2297 timescircle
2299 circleot;22A3 tackleft;22A4 tackdown;22A5 perpendicular;22BF righttriangle;22C5 dotmath;22CE curlyor
22CF curlyand;22DA lessequalorgreater;22DB greaterequalorless;22EE ellipsisvertical;2500 SF100000;2502 SF110000
250C SF010000;2510 SF030000;2514 SF020000;2518 SF040000;251C SF080000;2524 SF090000;252C SF060000;2534 SF070000
253C SF050000;2550 SF430000;2551 SF240000;2552 SF510000;2553 SF520000;2554 SF390000;2555 SF220000;2556 SF210000
2557 SF250000;2558 SF500000;2559 SF490000;255A SF380000;255B SF280000;255C SF270000;255D SF260000;255E SF360000
255F SF370000;2560 SF420000;2561 SF190000;2562 SF200000;2563 SF230000;2564 SF470000;2565 SF480000;2566 SF410000
2567 SF450000;2568 SF460000;2569 SF400000;256A SF540000;256B SF530000;256C SF440000;2580 upblock;2584 dnblock
2588 block;258C lfblock;2590 rtblock;2591 ltshade;2591 shadelight;2592 shade;2592 shademedium;2593 dkshade
2593 shadedark;25A0 blacksquare;25A0 filledbox;25A1 H22073;25A1 whitesquare;25A3 squarewhitewithsmallblack
25A4 squarehorizontalfill;25A5 squareverticalfill;25A6 squareorthogonalcrosshatchfill
25A7 squareupperlefttolowerrightfill;25A8 squareupperrighttolowerleftfill;25A9 squarediagonalcrosshatchfill
25AA H18543;25AA blacksmallsquare;25AB H18551;25AB whitesmallsquare;25AC blackrectangle;25AC filledrect
25B2 blackuppointingtriangle;25B2 triagup;25B3 whiteuppointingtriangle;25B4 blackuppointingsmalltriangle
25B5 whiteuppointingsmalltriangle;25B6 blackrightpointingtriangle;25B7 whiterightpointingtriangle
25B9 whiterightpointingsmalltriangle;25BA blackrightpointingpointer;25BA triagrt;25BC blackdownpointingtriangle
25BC triagdn;25BD whitedownpointingtriangle;25BF whitedownpointingsmalltriangle;25C0 blackleftpointingtriangle
25C1 whiteleftpointingtriangle;25C3 whiteleftpointingsmalltriangle;25C4 blackleftpointingpointer;25C4 triaglf
25C6 blackdiamond;25C7 whitediamond;25C8 whitediamondcontainingblacksmalldiamond;25C9 fisheye;25CA lozenge;25CB circle
25CB whitecircle;25CC dottedcircle;25CE bullseye;25CF H18533;25CF blackcircle;25D0 circlewithlefthalfblack
25D1 circlewithrighthalfblack;25D8 bulletinverse;25D8 invbullet;25D9 invcircle;25D9 whitecircleinverse
25E2 blacklowerrighttriangle;25E3 blacklowerlefttriangle;25E4 blackupperlefttriangle;25E5 blackupperrighttriangle
25E6 openbullet;25E6 whitebullet;25EF largecircle;2605 blackstar;2606 whitestar;260E telephoneblack
260F whitetelephone;261C pointingindexleftwhite;261D pointingindexupwhite;261E pointingindexrightwhite
261F pointingindexdownwhite;262F yinyang;263A smileface;263A whitesmilingface;263B blacksmilingface;263B invsmileface
263C compass;263C sun;2640 female;2640 venus;2641 earth;2642 male;2642 mars;2660 spade;2660 spadesuitblack
2661 heartsuitwhite;2662 diamondsuitwhite;2663 club;2663 clubsuitblack;2664 spadesuitwhite;2665 heart
2665 heartsuitblack;2666 diamond;2667 clubsuitwhite;2668 hotsprings;2669 quarternote;266A musicalnote
266B eighthnotebeamed;266B musicalnotedbl;266C beamedsixteenthnotes;266D musicflatsign;266F musicsharpsign;FB00 ff
FB01 fi;FB02 fl;FB03 ffi;FB04 ffl
`
