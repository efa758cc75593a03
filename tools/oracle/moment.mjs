// Prints what moment makes of generated formats, dates and texts, one JSON object a line. The seed is fixed.
//   node tools/oracle/moment.mjs [COUNT]
import moment from "moment";
import "moment/locale/en-gb.js";
import { seeded } from "./random.mjs";

const count = Number(process.argv[2] ?? 10000);
const now = "2026-11-16T10:00:00.000Z";
moment.now = () => Date.parse(now);

const { below, pick } = seeded(20261116);

const tokens = "YYYY YY Y YYYYYY MM M MMM MMMM Mo DD D Do DDD DDDD DDDo d dd ddd dddd do e E w ww wo W WW Wo gggg gg GGGG GG Q Qo H HH h hh k kk m mm s ss S SS SSS A a Z ZZ X x L LL LLL LLLL LT LTS l ll Hmm hmm".split(" ");
const usual = ["YYYY-MM-DD", "gggg-[W]ww", "GGGG-[W]WW", "YYYY-MM", "YYYY-[Q]Q", "YYYY", "YYYY/MM/YYYY-MM-DD", "dddd, MMMM Do YYYY", "DD.MM.YYYY", "YYYYMMDDHHmm", "ddd D MMM YY", "gggg-[W]ww-e", "GGGG-[W]WW-E", "YYYY-DDDD", "h:mm A", "kk:mm:ss.SSS", "YYYY-MM-DDTHH:mm:ssZ"];
const between = ["", "-", "/", " ", ".", ":", ", ", "[Week ]", "[ of ]", "_", "\\M", "[]", "x", "é", "\\"];

function format() {
  if (below(3) === 0) return pick(usual);
  let text = "";
  for (let i = 1 + below(5); i > 0; i--) text += pick(tokens) + pick(between);
  return text;
}

function mutated(text) {
  const at = below(text.length + 1);
  switch (below(6)) {
    case 0: return text.slice(0, at) + pick(["0", "1", "9", "x", " ", "-", "M"]) + text.slice(at);
    case 1: return text.slice(0, at) + text.slice(at + 1);
    case 2: return text.toUpperCase();
    case 3: return text.replace(/\d/, () => String(below(10)));
    case 4: return text.replace(/(\d)(\D*)$/, (_, digit, rest) => String(below(10)) + rest);
  }
  return text.slice(0, at) + String(below(10)) + text.slice(at + 1);
}

for (let i = 0; i < count; i++) {
  const locale = pick(["en", "en-gb"]), f = format();
  const date = moment.utc(Date.UTC(1970 + below(99), below(12), 1 + below(31), below(24), below(60), below(60), below(1000))).locale(locale);
  const offset = pick([0, 0, 120, -210, 345]);
  const written = date.clone().utcOffset(offset, true).format(f);
  const text = below(2) ? date.format(f) : mutated(date.format(f));
  const read = moment.utc(text, f, locale, true);
  console.log(JSON.stringify({
    format: f, locale, date: date.format("YYYY-MM-DDTHH:mm:ss.SSS"), offset, written, text,
    read: read.isValid() ? read.locale("en").format("YYYY-MM-DDTHH:mm:ss.SSS") : "",
  }));
}
