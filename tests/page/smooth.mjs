// smooth.mjs -- how smooth the page of a fast stream is: frames a second and memory of the browser, while records of a made-up
// stream come. page_smooth.sh runs it; it fails below 30 frames a second, or where memory grows.
//   node smooth.mjs SECONDS ROWS_PER_SECOND INPUTS
import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import { open } from "./browser.mjs";

const [seconds, rate, inputs] = process.argv.slice(2).map(Number);
const IN_USE = 20;
const STAY = 100; // rows: then other inputs are in use

const server = spawn(process.env.SLUICE_TOOL, ["serve", "--quiet", "--port", "0", "--watch", "-"], { stdio: ["pipe", "pipe", "inherit"] });
const address = await new Promise((done) => server.stdout.once("data", (text) => done(String(text).trim())));
let row = 0;
function record() {
  row++;
  const first = Math.floor(row / STAY) * 7;
  const names = Array.from({ length: IN_USE }, (_, k) => `"sensor ${(first + k * 97) % inputs}"`);
  const weights = names.map((_, k) => (Math.abs(Math.sin(row / 50 + k)) + 0.1).toFixed(4));
  const y = Math.sin(row / 40) + 0.3 * Math.sin(row * 12.9898);
  return (
    `{"row":${row},"predicted":{"y":${(y * 0.95).toFixed(4)}},"low":{"y":${(y - 0.4).toFixed(4)}},"high":{"y":${(y + 0.4).toFixed(4)}},` +
    `"observed":{"y":${y.toFixed(4)}},"selected":[[${names}]],"weights":[[${weights}]],"forgetting":0.99}\n`
  );
}
const begin = performance.now();
const feed = setInterval(() => {
  let text = "";
  for (const due = ((performance.now() - begin) / 1000) * rate; row < due; ) text += record();
  if (text) server.stdin.write(text);
}, 20);

const one = await open(address, { wait: false });
await one.page.waitForFunction(() => window.sluice?.view.history.last_row > 0, null, { timeout: 60000 });
const session = await one.page.context().newCDPSession(one.page);
await one.page.evaluate(() => {
  window.frames_seen = [];
  const frame = (at) => {
    window.frames_seen.push(at);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
});
const memory = async () => {
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize / 1e6;
};
const heap = [];
const rounds = Math.max(2, Math.round(seconds / 10));
for (let i = 0; i < rounds; i++) {
  await one.page.waitForTimeout((1000 * seconds) / rounds);
  heap.push(await memory());
}
const frames = await one.page.evaluate(() => window.frames_seen);
const gaps = frames.slice(1).map((at, i) => at - frames[i]).sort((a, b) => a - b);
const shown = await one.page.evaluate(() => window.sluice.view.history.last_row);
const result = {
  frames_per_second: ((frames.length - 1) / (frames[frames.length - 1] - frames[0])) * 1000,
  gap_ms: { median: gaps[gaps.length >> 1], p99: gaps[Math.floor(gaps.length * 0.99)], largest: gaps[gaps.length - 1] },
  rows: row,
  rows_behind: row - shown,
  heap_megabytes: heap.map((m) => Number(m.toFixed(1))),
};
console.log(JSON.stringify(result));
clearInterval(feed);
await one.close();
server.kill("SIGTERM");
assert.ok(result.frames_per_second >= 30, `${result.frames_per_second} frames a second`);
assert.ok(result.rows_behind < 5 * rate, `${result.rows_behind} rows behind`);
const later = heap.slice(Math.floor(heap.length / 2));
const half = heap[Math.floor(heap.length / 4)];
assert.ok(Math.max(...later) < 1.3 * half + 5, `the heap grew from ${half} MB: ${heap}`);
process.exit(0);
