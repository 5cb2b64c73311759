// Files of titles in the browser: their text, their rows, and a CSV that Excel opens rightly.
"use strict";

// The text of a file: UTF-16 by its mark, UTF-8 if it is valid, else GB18030.
function decode(bytes) {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("gb18030").decode(bytes);
  }
}

// { header, rows }: of a text by the file's name; lines alone have the one column "title".
function readTable(name, text) {
  const suffix = name.toLowerCase().split(".").pop();
  if (suffix === "jsonl" || suffix === "json") return readJsonLines(text);
  const first = text.slice(0, text.search(/\r?\n|$/));
  const delimiter = [",", "\t", ";"].reduce((a, b) =>
    first.split(b).length > first.split(a).length ? b : a);
  if (suffix === "txt" && !first.includes("\t")) {
    const rows = text.split(/\r?\n/).filter((line) => line.trim()).map((line) => [line]);
    return { header: ["title"], rows };
  }
  const rows = parseCsv(text, suffix === "txt" || suffix === "tsv" ? "\t" : delimiter);
  if (suffix === "txt") return { header: rows.length ? rows[0].map((_, i) => `${i + 1}`) : [], rows };
  return { header: rows.shift() ?? [], rows };
}

function readJsonLines(text) {
  const items = text.split(/\r?\n/).filter((line) => line.trim()).map((line) => JSON.parse(line));
  const header = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const rows = items.map((item) =>
    header.map((key) => (typeof item[key] === "object" ? JSON.stringify(item[key]) : `${item[key] ?? ""}`)));
  return { header, rows };
}

// RFC 4180; a quote within an unquoted cell is text.
function parseCsv(text, delimiter) {
  const rows = [];
  let row = [], cell = "", quoted = false, started = false;
  for (let i = 0; i < text.length; i++) {
    const sign = text[i];
    if (quoted) {
      if (sign !== '"') cell += sign;
      else if (text[i + 1] === '"') { cell += '"'; i++; }
      else quoted = false;
    } else if (sign === '"' && !started) { quoted = true; started = true; }
    else if (sign === delimiter) { row.push(cell); cell = ""; started = false; }
    else if (sign === "\n" || sign === "\r") {
      if (sign === "\r" && text[i + 1] === "\n") i++;
      row.push(cell);
      if (row.length > 1 || row[0] !== "") rows.push(row);
      row = []; cell = ""; started = false;
    } else { cell += sign; started = true; }
  }
  if (cell !== "" || row.length) { row.push(cell); rows.push(row); }
  return rows;
}

// With a byte order mark, by which Excel knows UTF-8, and no cell that Excel would take for a formula.
function writeCsv(rows) {
  const cellOf = (value) => {
    const text = /^[=+\-@\t\r]/.test(value) && Number.isNaN(Number(value)) ? `'${value}` : `${value}`;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return "\ufeff" + rows.map((row) => row.map(cellOf).join(",")).join("\r\n") + "\r\n";
}

// The column that is most likely the titles: by its name, else the one with the most Chinese.
function titleColumn(header, rows) {
  const named = header.findIndex((name) => /^(title|标题|題目|题目|headline|text|sentence)$/i.test(name.trim()));
  if (named >= 0) return named;
  const chinese = header.map((_, i) =>
    rows.slice(0, 50).reduce((sum, row) => sum + (row[i]?.match(/\p{Script=Han}/gu)?.length ?? 0), 0));
  return chinese.indexOf(Math.max(...chinese));
}
