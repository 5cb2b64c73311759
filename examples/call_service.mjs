// Ask a running service (`make serve`) for the classes of some titles.
//
//     node examples/call_service.mjs http://127.0.0.1:8000 国足客场一球小胜 "A股三大指数集体收涨"

const [url, ...titles] = process.argv.slice(2);
const response = await fetch(`${url}/v1/classify`, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ titles, top_k: 3, strict: true }),
  signal: AbortSignal.timeout(10_000),
});
const answer = await response.json();
if (!response.ok) {
  console.error(`${response.status}: ${answer.detail}`); // what came and what to do
  process.exit(1);
}
answer.results.forEach((result, i) =>
  console.log(`${result.display_name} ${result.score.toFixed(2)}  ${titles[i]}`),
);
