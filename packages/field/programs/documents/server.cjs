const { createServer } = require('node:http');

const { parse } = require('csv-parse/sync');
const ExcelJS = require('exceljs');
const { XMLParser } = require('fast-xml-parser');
const { PDFDocument, StandardFonts } = require('pdf-lib');

const csv = Array.from({ length: 120_000 }, (_, id) => `${id},"customer ${id}",${id % 97}`).join('\n');
const xml = `<orders>${Array.from({ length: 60_000 }, (_, id) => `<order id="${id}"><name>n${id}</name></order>`).join('')}</orders>`;

async function spreadsheet() {
  const workbook = new ExcelJS.Workbook();
  const sheet = workbook.addWorksheet('orders');
  for (let id = 0; id < 15_000; id++) sheet.addRow([id, `customer ${id}`, id % 97]);
  const file = await workbook.xlsx.writeBuffer();
  const copy = new ExcelJS.Workbook();
  await copy.xlsx.load(file);
  return copy.worksheets[0].rowCount;
}

async function pdf() {
  const document = await PDFDocument.create();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (let page = 0; page < 150; page++) {
    const target = document.addPage();
    for (let line = 0; line < 60; line++) {
      target.drawText(`Page ${page}, line ${line}`, { x: 40, y: 40 + line * 12, size: 10, font });
    }
  }
  await document.save({ objectsPerTick: Infinity });
  return document.getPageCount();
}

const works = {
  '/csv': () => parse(csv, { cast: true }).length,
  '/xml': () => new XMLParser({ ignoreAttributes: false }).parse(xml).orders.order.length,
  '/spreadsheet': spreadsheet,
  '/pdf': pdf,
};

createServer(async (request, response) => {
  response.end(String((await works[request.url]?.()) ?? 'ok'));
}).listen(Number(process.env.PORT), '127.0.0.1');
