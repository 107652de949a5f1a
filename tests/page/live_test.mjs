// live_test.mjs -- the page of a server that runs, as people use it. live_page_test.sh starts nothing: each test starts the
// real server, on a port that is free.
import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, test } from "node:test";
import { cell, open, settle, span } from "./browser.mjs";

const work = process.env.SLUICE_WORK;
const sluice = process.env.SLUICE_TOOL;
const running = new Set();
const opened = [];

/** Starts a command of the tool; its address is the first line that it prints. */
async function start(words, from = "stdout") {
  const program = spawn(sluice, words, { stdio: ["ignore", "pipe", "pipe"] });
  running.add(program);
  let said = "";
  program.stderr.on("data", (text) => (said += text));
  const address = await new Promise((done, fail) => {
    let text = "";
    program[from].on("data", (more) => {
      text += more;
      const found = /http:\/\/[^\s]+/.exec(text);
      if (found && text.includes("\n")) done(found[0].replace(/\/$/, ""));
    });
    program.on("exit", (code) => fail(new Error(`${words.join(" ")} ended with ${code}: ${said}`)));
  });
  program.removeAllListeners("exit");
  const stop = (signal) =>
    new Promise((done) => {
      running.delete(program);
      program.on("exit", (code) => done(code));
      program.kill(signal);
    });
  return { address, stop, port: new URL(address).port, said: () => said };
}
const serve = (...words) => start(["serve", "--quiet", "--port", "0", ...words]);
async function use(address, options) {
  const one = await open(address, options);
  opened.push(one);
  return one.page;
}
afterEach(async () => {
  while (opened.length > 0) await opened.pop().close();
  for (const program of running) program.kill("SIGKILL");
  running.clear();
});
after(() => setTimeout(() => process.exit(), 500).unref());

const status = (page) => page.locator(".status").innerText();
const lastRow = (page) => page.evaluate(() => window.sluice.view.history.last_row);
const until = (page, condition, argument) => page.waitForFunction(condition, argument, { timeout: 30000 });
async function saved(page, name) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name, exact: true }).click()]);
  return readFileSync(await download.path());
}
const csv = (rows, names) => [names.join(","), ...rows.map((r) => r.join(","))].join("\n") + "\n";
async function send(server, model, spec, table) {
  const json = { "Content-Type": "application/json" };
  const made = await fetch(`${server.address}/v1/models/${model}`, { method: "PUT", headers: json, body: JSON.stringify(spec) });
  assert.ok(made.ok, await made.text());
  const answer = await fetch(`${server.address}/v1/models/${model}/rows`, { method: "POST", headers: { "Content-Type": "text/csv" }, body: table });
  assert.ok(answer.ok, await answer.text());
}
function rowsOf(count, of = (t) => [Math.sin(t * 1.7), Math.cos(t * 2.3), ((t * 7919) % 101) / 101]) {
  return Array.from({ length: count }, (_, t) => {
    const x = of(t);
    return [...x, 2 * x[0] - x[1]];
  });
}

test("shows the known switch of the built-in stream within seconds", async () => {
  const server = await serve("--play", "switching", "--rate", "200");
  const page = await use(server.address);
  await until(page, () => /live: row/.test(document.querySelector(".status")?.textContent ?? ""));
  // The inputs that matter change at row 301.
  await until(page, () => window.sluice.view.history.last_row > 360);
  await until(page, () => /sudden change · row 3[01]\d/.test(document.querySelector("#events").innerText));
  const early = await page.evaluate(() => {
    const used = (row) =>
      window.sluice.view.history.variables.filter((v) => v.tracks.some((t) => {
        for (let i = 0; i < t.stays.length; i += 4) if (t.stays[i] <= row && row <= t.stays[i + 1]) return true;
        return false;
      })).map((v) => v.name);
    return { before: used(290), after: used(360) };
  });
  assert.notDeepEqual(early.before, early.after);
});

test("hover, zoom, pause and export while rows come", async () => {
  const server = await serve("--play", "switching", "--rate", "100");
  const page = await use(server.address);
  await until(page, () => window.sluice.view.history.last_row > 60 && window.sluice.heat.rows.length > 3);
  // Zoomed in at the end, the page goes with the rows.
  await page.evaluate(() => window.sluice.view.setSpan(window.sluice.view.history.last_row - 40, window.sluice.view.history.last_row));
  const [, before] = await span(page);
  await page.waitForTimeout(800);
  const [from, to] = await span(page);
  assert.ok(to > before + 20 && Math.abs(to - from - 40) < 1, `${from} to ${to}, before ${before}`);
  await page.getByRole("button", { name: "Pause" }).click();
  await until(page, () => /^paused/.test(document.querySelector(".status").textContent));
  const row = await lastRow(page);
  await page.waitForTimeout(700);
  assert.equal(await lastRow(page), row);
  assert.match(await status(page), /^paused: [1-9]\d* rows behind/);
  const at = await cell(page, 0, row - 2);
  await page.mouse.move(at.x, at.y);
  await settle(page);
  assert.match(await page.locator(".tip:visible").innerText(), /^x\d+\s+row/);
  assert.equal((await saved(page, "Save selection as PNG")).subarray(1, 4).toString(), "PNG");
  assert.match((await saved(page, "Save predicted as SVG")).toString(), /<svg/);
  assert.ok((await saved(page, "Save selection as CSV")).toString().split("\r\n").length > 5);
  await page.getByRole("button", { name: "Go on" }).click();
  await until(page, (r) => window.sluice.view.history.last_row > r + 20, row);
  assert.match(await status(page), /^live/);
  // What came meanwhile is there: no row is missing.
  const rows = await page.evaluate(() => ({ bins: window.sluice.view.history.bin_rows.length, sum: window.sluice.view.history.bin_rows.reduce((a, b) => a + b, 0), last: window.sluice.view.history.last_row }));
  assert.equal(rows.sum, rows.last);
});

test("what the page has gathered is what the server has", async () => {
  const server = await serve("--play", "switching", "--rate", "400");
  const page = await use(`${server.address}/#span=whole`);
  await until(page, () => window.sluice?.view.history.last_row > 500);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.waitForTimeout(300);
  const differs = await page.evaluate(async () => {
    const mine = window.sluice.view.history;
    const all = await (await fetch("/v1/models/switching/history?span=whole")).json();
    const wrong = [];
    for (const key of ["predicted", "observed"]) {
      if (JSON.stringify(mine.targets[0][key].mean) !== JSON.stringify(all.targets[0][key].mean.slice(0, mine.bins))) wrong.push(key);
    }
    if (JSON.stringify(mine.targets[0].squares) !== JSON.stringify(all.targets[0].squares.slice(0, mine.bins))) wrong.push("squares");
    for (const variable of all.variables) {
      const stays = variable.tracks[0].stays;
      const until_then = [];
      for (let i = 0; i < stays.length && stays[i] <= mine.last_row; i += 4) {
        const to = Math.min(stays[i + 1], mine.last_row);
        until_then.push(stays[i], to, stays[i + 2], to - stays[i] + 1);
      }
      const known = mine.variables.find((v) => v.name === variable.name)?.tracks[0].stays ?? [];
      if (JSON.stringify(known) !== JSON.stringify(until_then)) wrong.push(variable.name);
    }
    return mine.rows_per_bin === all.rows_per_bin ? wrong : ["bins"];
  });
  assert.deepEqual(differs, []);
});

test("goes on after the server was killed and started again, with the rows before", async () => {
  const folder = mkdtempSync(join(work, "state-"));
  const first = await serve("--state", folder, "--checkpoint-time", "0.2");
  await send(first, "plant", { targets: ["y"] }, csv(rowsOf(300), ["a", "b", "c", "y"]));
  const page = await use(first.address, { expect: /Failed to load resource|ERR_/ });
  await until(page, () => window.sluice?.view.history.last_row === 300);
  await first.stop("SIGKILL");
  await until(page, () => /connection is lost/.test(document.querySelector(".status").textContent));
  const second = await start(["serve", "--quiet", "--port", first.port, "--state", folder]);
  await until(page, () => /^live/.test(document.querySelector(".status").textContent));
  await send(second, "plant", { targets: ["y"] }, csv(rowsOf(50), ["a", "b", "c", "y"]));
  await until(page, () => window.sluice.view.history.last_row === 350);
  assert.equal(await page.evaluate(() => window.sluice.view.history.first_row), 1);
});

test("names that are HTML stay text, and the server allows no other script", async () => {
  const server = await serve();
  const hostile = "<img src=x onerror=window.hacked=1>";
  await send(server, "plant", { targets: [`y${hostile}`] }, csv(rowsOf(300), [`a${hostile}`, "b", "c", `y${hostile}`]));
  const page = await use(server.address, { expect: /Content Security Policy/ });
  await until(page, () => window.sluice?.view.history.last_row === 300);
  assert.match(await page.locator("h1").innerText(), /<img src=x onerror=/);
  assert.match(await page.locator("#in-use").innerText(), /a<img src=x onerror=/);
  assert.equal(await page.locator("img").count(), 0);
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.hacked = 1";
    document.body.append(script);
  });
  assert.equal(await page.evaluate(() => window.hacked), undefined);
});

test("is used by keys alone", async () => {
  const server = await serve("--play", "switching", "--rate", "50");
  const page = await use(server.address);
  await until(page, () => window.sluice.view.history.last_row > 30);
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");
  for (let i = 0; i < 10 && (await focused()) !== "Pause"; i++) await page.keyboard.press("Tab");
  assert.equal(await focused(), "Pause");
  await page.keyboard.press("Space");
  await until(page, () => /^paused/.test(document.querySelector(".status").textContent));
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-pressed")), "true");
  await page.keyboard.press("Space");
  await until(page, () => /^live/.test(document.querySelector(".status").textContent));
});

test("another model, the whole stream, and rows that end the wait", async () => {
  const server = await serve();
  const page = await use(server.address, { wait: false });
  await until(page, () => /There are no models yet/.test(document.body.textContent));
  await send(server, "small", { targets: ["y"] }, csv(rowsOf(40), ["a", "b", "c", "y"]));
  await send(server, "large", { targets: ["y"] }, csv(rowsOf(9000), ["a", "b", "c", "y"]));
  await until(page, () => window.sluice?.view.history.last_row > 0);
  await page.reload();
  await until(page, () => window.sluice?.view.history.last_row > 0);
  await page.getByLabel("Model").selectOption("large");
  await until(page, () => window.sluice.view.history.last_row === 9000);
  const latest = await page.evaluate(() => ({ bins: window.sluice.view.history.bins, per: window.sluice.view.history.rows_per_bin }));
  assert.ok(latest.per === 1 && latest.bins >= 2048 && latest.bins <= 4096, JSON.stringify(latest));
  await page.locator(".live").getByLabel("Show").selectOption("whole");
  await until(page, () => window.sluice.view.history.first_row === 1 && window.sluice.view.history.rows_per_bin === 4);
  assert.match(page.url(), /model=large&span=whole/);
});

test("a server with a token shows nothing before it has the token", async () => {
  const token = join(mkdtempSync(join(work, "token-")), "token");
  const server = await serve("--token-file", token);
  const page = await use(server.address, { wait: false, expect: /401/ });
  await until(page, () => /wants its token/.test(document.body.textContent));
  await page.getByLabel("Token").fill("wrong");
  await page.keyboard.press("Enter");
  await until(page, () => /does not accept this token/.test(document.body.textContent));
  await page.getByLabel("Token").fill(readFileSync(token, "utf8"));
  await page.keyboard.press("Enter");
  await until(page, () => /There are no models yet/.test(document.body.textContent));
});

test("a stream of the command line is shown while it runs, and after", async () => {
  const data = join(work, "stream.csv");
  writeFileSync(data, csv(rowsOf(600), ["a", "b", "c", "y"]));
  const stream = await start(["stream", data, "--targets", "y", "--interval", "0.9", "--serve", "--port", "0"], "stderr");
  const page = await use(stream.address);
  await until(page, () => window.sluice.view.history.last_row === 600);
  assert.match(await page.locator(".summary").innerText(), /600 rows of stream.csv.*1 target from 3 inputs/);
  assert.match(await page.locator("#in-use").innerText(), /weight/);
  const refused = await fetch(`${stream.address}/v1/models/stream/rows`, { method: "POST", headers: { "Content-Type": "text/csv" }, body: "a,y\n1,2\n" });
  assert.equal(refused.status, 409);
  opened.pop().close().catch(() => {});
  assert.equal(await stream.stop("SIGINT"), 0);
});

test("at 400 pixels nothing is wider than the window", async () => {
  const server = await serve("--play", "switching", "--rate", "100");
  const page = await use(server.address, { width: 400 });
  await until(page, () => window.sluice.view.history.last_row > 100);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 400);
});
