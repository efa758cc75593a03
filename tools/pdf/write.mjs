// Writes documents with libraries from npm.
import fs from 'node:fs';
import path from 'node:path';
import PDFKit from 'pdfkit';
import { PDFDocument, StandardFonts, degrees } from 'pdf-lib';
import fontkit from '@pdf-lib/fontkit';
import { jsPDF } from 'jspdf';

const out = process.argv[2];
const sans = '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf';
const fallback = '/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf';
const article = fs.readFileSync('article.txt', 'utf8');
const scripts = ['Καλημέρα κόσμε, πώς είστε σήμερα;', 'Съешь же ещё этих мягких французских булок.', 'Příliš žluťoučký kůň úpěl ďábelské ódy.'];
const table = [['Harbour', 'Ships', 'Tons'], ['Hamburg', '128', '4500'], ['Rotterdam', '256', '9100']];

function pdfkit(name, write) {
  const document = new PDFKit();
  document.pipe(fs.createWriteStream(path.join(out, name)));
  write(document);
  document.end();
}

pdfkit('pdfkit.pdf', document => {
  document.font('Times-Roman').fontSize(12).text(article, { columns: 2, columnGap: 20, align: 'justify' });
  document.moveDown().font('Helvetica-Bold').text('AVATAR WAVY Torque', { characterSpacing: 1 });
  document.addPage().font('Courier').text('The second page is set in Courier.');
});
pdfkit('pdfkit-fonts.pdf', document => {
  document.font(sans).fontSize(12).text(article).text(scripts.join('\n'));
  document.font(fallback).text('東京都 と 大阪府 中文 測試');
});

async function pdfLib() {
  const document = await PDFDocument.create();
  document.registerFontkit(fontkit);
  const helvetica = await document.embedFont(StandardFonts.Helvetica);
  const embedded = await document.embedFont(fs.readFileSync(sans), { subset: true });
  const page = document.addPage();
  page.drawText(article, { x: 50, y: 750, size: 11, font: helvetica, maxWidth: 480, lineHeight: 14 });
  table.forEach((row, y) => row.forEach((cell, x) => page.drawText(cell, { x: 50 + 120 * x, y: 400 - 20 * y, size: 11, font: helvetica })));
  page.drawText(scripts.join('\n'), { x: 50, y: 300, size: 12, font: embedded, lineHeight: 16 });
  page.drawText('Upwards along the edge', { x: 560, y: 100, size: 12, font: helvetica, rotate: degrees(90) });
  fs.writeFileSync(path.join(out, 'pdf-lib.pdf'), await document.save());
}

function jspdf() {
  const document = new jsPDF({ compress: true });
  document.setFontSize(11);
  document.text(document.splitTextToSize(article.replace(/[€…–]/g, '-'), 170), 20, 20);
  table.forEach((row, y) => row.forEach((cell, x) => document.text(cell, 20 + 50 * x, 120 + 8 * y)));
  document.addPage();
  document.addFileToVFS('sans.ttf', fs.readFileSync(sans).toString('base64'));
  document.addFont('sans.ttf', 'sans', 'normal');
  document.setFont('sans');
  document.text(scripts, 20, 20);
  fs.writeFileSync(path.join(out, 'jspdf.pdf'), Buffer.from(document.output('arraybuffer')));
}

await pdfLib();
jspdf();
