// The last hour of the service: bars for its minutes, and the classes that were answered.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const HOUR = 60; // minutes

// For each of the last 60 minutes, what was answered in it; undefined where the service was not up.
function byMinute(minutes, now) {
  const places = new Array(HOUR);
  for (const minute of minutes) {
    const ago = Math.floor((now - minute.began) / 60);
    if (ago < 0 || ago >= HOUR) continue;
    const place = HOUR - 1 - ago;
    const there = places[place];
    if (!there || there.requests <= minute.requests) places[place] = minute;
  }
  return places;
}

// The classes of all minutes together, the commonest first.
function sumOfAnswers(minutes) {
  const sums = new Map();
  for (const { answers } of minutes) {
    for (const [label, count] of Object.entries(answers)) sums.set(label, (sums.get(label) ?? 0) + count);
  }
  return [...sums].filter(([, count]) => count).sort((a, b) => b[1] - a[1]);
}

function svg(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

// A bar a minute; of two values of a minute, the smaller is drawn over the larger.
function barChart(title, said, series) {
  const figure = document.createElement("figure"), caption = document.createElement("figcaption");
  const highest = Math.max(...series.flatMap((values) => values.map((value) => value ?? 0)), 1e-9);
  const chart = svg("svg", { viewBox: `0 0 ${HOUR} 20`, preserveAspectRatio: "none", role: "img" });
  chart.setAttribute("aria-label", `${title}: ${said}`);
  chart.append(svg("line", { x1: 0, x2: HOUR, y1: 20, y2: 20, class: "axis" }));
  series.forEach((values, i) => values.forEach((value, place) => {
    if (!value) return;
    const height = Math.max(0.3, (19 * value) / highest);
    const at = { x: place + 0.12, y: 20 - height, width: 0.76, height };
    chart.append(svg("rect", { ...at, class: i === series.length - 1 ? "best" : "fill" }));
  }));
  caption.append(make("strong", title), make("span", said, "note"));
  figure.append(caption, chart);
  return figure;
}

function showHour(minutes, now) {
  const places = byMinute(minutes, now), asked = places.filter((minute) => minute?.requests);
  const of = (name) => places.map((minute) => minute?.[name]);
  const requests = asked.reduce((sum, minute) => sum + minute.requests, 0);
  const most = Math.max(0, ...asked.map((minute) => minute.requests));
  const slowest = Math.max(0, ...asked.map((minute) => minute.p99_ms ?? 0));
  find("charts").replaceChildren(
    barChart(words.hourRequests, words.hourRequestsText(requests, most), [of("requests")]),
    barChart(words.hourLatency, words.hourLatencyText(slowest), [of("p99_ms"), of("p50_ms")]),
  );
  const sums = sumOfAnswers(minutes), all = sums.reduce((sum, [, count]) => sum + count, 0);
  find("hour-shares").hidden = !all;
  fillShares(find("hour-shares"), sums.map(([label, count]) => [labelName(label), count]), all);
  find("hour").hidden = false;
}
