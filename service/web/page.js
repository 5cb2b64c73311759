// The page: asks the service's own API, and nothing else.
"use strict";

const BATCH = 64; // titles a request
const AT_ONCE = 2; // requests on their way
const find = (id) => document.getElementById(id);
const make = (name, text, className) => {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
};

let language = localStorage.getItem("language") ?? (navigator.language.startsWith("zh") ? "zh" : "en");
let words = WORDS[language];
let table = null, stopped = false, latest = null, served = null;

function speak() {
  words = WORDS[language];
  document.documentElement.lang = words.page;
  for (const element of document.querySelectorAll("[data-word]")) {
    element.textContent = words[element.dataset.word];
  }
  find("progress").setAttribute("aria-label", words.progress);
  find("language").textContent = words.other;
  find("language").lang = language === "zh" ? "en" : "zh-CN";
  countTitles();
  if (latest) showResults(...latest);
  showService();
}

function titlesTyped() {
  return find("titles").value.split("\n").map((line) => line.trim()).filter(Boolean);
}

function countTitles() {
  const count = titlesTyped().length;
  find("count").textContent = count ? words.count(count) : "";
}

// The answer, or an Error whose message is for people.
async function ask(path, body) {
  const headers = { "Content-Type": "application/json" };
  const key = find("key").value.trim();
  if (key) headers.Authorization = `Bearer ${key}`;
  const options = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error(words.offline);
  }
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  if (response.status === 401) find("key-box").hidden = false;
  const error = new Error(problem.detail ?? `${response.status}`);
  error.retryAfter = response.status === 429 ? Number(response.headers.get("retry-after")) : null;
  throw error;
}

async function classify(titles) {
  for (;;) {
    try {
      return await (await ask("v1/classify", { titles, top_k: 3 })).json();
    } catch (error) {
      if (!error.retryAfter || stopped) throw error;
      await new Promise((resolve) => setTimeout(resolve, 1000 * error.retryAfter));
    }
  }
}

function tell(id, message) {
  find(id).hidden = !message;
  find(id).textContent = message ?? "";
}

const nameOf = (ranked) => (language === "zh" ? ranked.display_name : ranked.label);
const percent = (share) => `${(100 * share).toFixed(1)} %`;

function showResults(titles, results) {
  latest = [titles, results];
  find("results").replaceChildren(...results.map((result, i) => {
    const item = make("li");
    item.append(make("div", titles[i], "title"));
    item.firstChild.lang = "zh-CN";
    if (result.error) {
      item.append(make("span", result.error.detail, "badge"));
      return item;
    }
    const answer = make("div", undefined, "answer");
    answer.append(make("strong", nameOf(result)), make("span", percent(result.score), "note"));
    if (!result.readable) answer.append(make("span", words.unreadable, "badge"));
    else if (result.unknown) answer.append(make("span", words.unknown, "badge"));
    if (result.truncated) answer.append(make("span", words.truncated, "badge"));
    item.append(answer, bars(result.top_k));
    if (served?.keeps_feedback) item.append(correction(titles[i], result));
    return item;
  }));
}

function bars(ranking) {
  const list = make("dl", undefined, "bars");
  ranking.forEach((ranked, place) => {
    const track = make("dd", undefined, "track"), fill = make("div", undefined, "fill");
    if (!place) fill.classList.add("best");
    fill.style.width = `${100 * ranked.score}%`;
    track.append(fill);
    track.setAttribute("aria-hidden", "true");
    list.append(make("dt", nameOf(ranked)), track, make("dd", percent(ranked.score), "figure"));
  });
  return list;
}

// A choice of the right class, which is sent as soon as it is made.
function correction(title, result) {
  const box = make("details", undefined, "correction"), choice = make("select"), said = make("span");
  const [model] = served.models;
  const label = make("label", `${words.right}: `);
  said.setAttribute("role", "status");
  const options = [["", words.choose], ...model.labels.map((each) => [each.label, nameOf(each)])];
  for (const [value, text] of [...options, ["-", words.none]]) {
    const option = make("option", text);
    option.value = value;
    choice.append(option);
  }
  choice.addEventListener("change", async () => {
    if (!choice.value) return;
    const { label: answered, score } = result, { name, version } = model;
    const right = choice.value === "-" ? null : choice.value;
    try {
      await ask("v1/feedback", { title, label: right, answer: { label: answered, score, name, version } });
      said.textContent = words.thanks;
    } catch (error) {
      said.textContent = error.message;
    }
  });
  label.append(choice);
  box.append(make("summary", words.wrong), label, said);
  return box;
}

async function askTyped(event) {
  event.preventDefault();
  const titles = titlesTyped();
  if (!titles.length) return find("titles").focus();
  find("classify").disabled = true;
  tell("problem");
  try {
    const results = [];
    for (let start = 0; start < titles.length; start += BATCH) {
      results.push(...(await classify(titles.slice(start, start + BATCH))).results);
    }
    showResults(titles, results);
  } catch (error) {
    tell("problem", error.message);
  } finally {
    find("classify").disabled = false;
    showService();
  }
}

async function takeFile(file) {
  if (!file) return;
  tell("file-problem");
  find("done").hidden = true;
  try {
    table = { name: file.name, ...readTable(file.name, decode(new Uint8Array(await file.arrayBuffer()))) };
    if (!table.rows.length) throw new Error(words.noRows);
    find("column").replaceChildren(...table.header.map((name, i) => {
      const option = make("option", name);
      option.value = i;
      return option;
    }));
    find("column").value = titleColumn(table.header, table.rows);
    find("column-box").hidden = false;
  } catch (error) {
    find("column-box").hidden = true;
    tell("file-problem", error.message);
  }
}

async function scoreFile() {
  const column = Number(find("column").value), rows = table.rows;
  const answers = new Array(rows.length), started = performance.now();
  let next = 0, done = 0;
  stopped = false;
  find("score").disabled = true;
  find("done").hidden = true;
  find("progress-box").hidden = false;
  tell("file-problem");
  const show = () => {
    find("progress").value = done / rows.length;
    const rate = Math.round((1000 * done) / (performance.now() - started + 1));
    find("progress-text").textContent = words.progressText(done, rows.length, rate);
  };
  const work = async () => {
    while (next < rows.length && !stopped) {
      const start = next, part = rows.slice(start, (next += BATCH));
      const { results } = await classify(part.map((row) => row[column] ?? ""));
      results.forEach((result, i) => { answers[start + i] = result; });
      done += part.length;
      show();
    }
  };
  show();
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    if (!stopped) finish(answers);
  } catch (error) {
    stopped = true;
    tell("file-problem", error.message);
  } finally {
    find("progress-box").hidden = true;
    find("score").disabled = false;
    showService();
  }
}

function finish(answers) {
  const [label, name, confidence, unknown, problem] = words.columns;
  const out = [[...table.header, label, name, confidence, unknown, problem]];
  const counts = new Map();
  let bad = 0;
  answers.forEach((answer, i) => {
    const row = table.header.map((_, j) => table.rows[i][j] ?? "");
    if (answer.error) {
      bad++;
      out.push([...row, "", "", "", "", answer.error.detail]);
      return;
    }
    const said = answer.unknown ? words.unknown : nameOf(answer);
    counts.set(said, (counts.get(said) ?? 0) + 1);
    const sure = answer.unknown ? words.yes : words.no;
    out.push([...row, answer.label, answer.display_name, answer.score.toFixed(4), sure, ""]);
  });
  URL.revokeObjectURL(find("download").href);
  find("download").href = URL.createObjectURL(new Blob([writeCsv(out)], { type: "text/csv" }));
  find("download").download = table.name.replace(/(\.[^.]*)?$/, "-biaoti.csv");
  find("done-text").textContent = words.doneText(answers.length, bad);
  fillShares(find("shares"), [...counts].sort((a, b) => b[1] - a[1]), answers.length);
  find("done").hidden = false;
  find("download").focus();
}

// A row for each class: its name, how many titles, and which share of all that is.
function fillShares(table, counts, all) {
  table.tBodies[0].replaceChildren(...counts.map(([said, count]) => {
    const row = make("tr"), head = make("th", said);
    head.scope = "row";
    row.append(head, make("td", count.toLocaleString(), "figure"), make("td", percent(count / all), "figure"));
    return row;
  }));
}

// What people call a class of the model that is served.
function labelName(label) {
  if (label === "unknown") return words.unknown;
  const known = served?.models.flatMap((model) => model.labels).find((each) => each.label === label);
  return known ? nameOf(known) : label;
}

// Sums over all labels of each metric, and the buckets of the latency.
function readMetrics(text) {
  const sums = new Map(), buckets = new Map();
  let unknown = 0;
  for (const line of text.split("\n")) {
    const found = line.match(/^(\w+)(?:\{(.*)\})? ([\d.e+-]+)/i);
    if (!found) continue;
    const [, name, labels = "", value] = found;
    sums.set(name, (sums.get(name) ?? 0) + Number(value));
    if (name === "biaoti_answers_total" && labels.includes('label="unknown"')) unknown += Number(value);
    if (name === "biaoti_request_seconds_bucket" && labels.includes("classify")) {
      const edge = labels.match(/le="([^"]+)"/)[1];
      buckets.set(edge, (buckets.get(edge) ?? 0) + Number(value));
    }
  }
  return { sums, buckets: [...buckets], unknown };
}

function quantile(buckets, share) {
  const all = buckets.length ? buckets[buckets.length - 1][1] : 0;
  const found = buckets.find(([, count]) => count >= share * all && all > 0);
  return found ? `≤ ${found[0] === "+Inf" ? "∞" : 1000 * Number(found[0])} ms` : "–";
}

async function showService() {
  const rows = [];
  try {
    const ready = await fetch("ready");
    rows.push([words.state, ready.ok ? words.ready : words.notReady]);
    served = await (await ask("v1/models")).json();
    rows.unshift([words.model, served.models.map((model) => `${model.name} ${model.version}`).join(", ")]);
    const { sums, buckets, unknown } = readMetrics(await (await ask("metrics")).text());
    const answered = sums.get("biaoti_answers_total") ?? 0;
    rows.push([words.requests, (sums.get("biaoti_requests_total") ?? 0).toLocaleString()]);
    rows.push([words.latency, `${quantile(buckets, 0.5)} / ${quantile(buckets, 0.99)}`]);
    rows.push([words.answered, answered.toLocaleString()]);
    if (answered) rows.push([words.unknownShare, percent(unknown / answered)]);
    showHour((await (await ask("v1/activity")).json()).minutes, Date.now() / 1000);
  } catch (error) {
    rows.push([words.state, error.message]);
  }
  find("service").replaceChildren(...rows.flatMap(([term, value]) => [make("dt", term), make("dd", value)]));
}

find("ask").addEventListener("submit", askTyped);
find("titles").addEventListener("input", countTitles);
find("titles").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) find("ask").requestSubmit();
});
find("examples").addEventListener("click", () => {
  find("titles").value = EXAMPLES.join("\n");
  countTitles();
  find("ask").requestSubmit();
});
find("language").addEventListener("click", () => {
  language = language === "zh" ? "en" : "zh";
  localStorage.setItem("language", language);
  speak();
});
find("file").addEventListener("change", (event) => takeFile(event.target.files[0]));
find("score").addEventListener("click", scoreFile);
find("stop").addEventListener("click", () => { stopped = true; });
for (const kind of ["dragover", "dragleave", "drop"]) {
  find("drop").addEventListener(kind, (event) => {
    event.preventDefault();
    find("drop").classList.toggle("over", kind === "dragover");
    if (kind === "drop") takeFile(event.dataTransfer.files[0]);
  });
}
find("key").addEventListener("change", showService);
setInterval(() => { if (!document.hidden) showService(); }, 15000);
find("key-box").addEventListener("submit", (event) => {
  event.preventDefault();
  find("ask").requestSubmit();
});
speak();
