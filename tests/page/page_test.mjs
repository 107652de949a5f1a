// page_test.mjs -- the report in a browser, as people use it. page_test.sh makes the reports:
//   change.html   y1 = 1.80 x1 - 1.20 x11 until row 400, - 2.00 x10 after it; with intervals
//   dated.html    the same with a time column and lags
//   two.html      two targets
//   hostile.html  a column and a target whose names are HTML
//   wide.html     2,000 inputs, each selected for a while
//   wrong.html    as change.html; the label of row 500 is 1e7
import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { cell, open, settle, span } from "./browser.mjs";

const report = (name) => join(process.env.SLUICE_WORK, `${name}.html`);

const opened = [];
after(async () => {
  for (const one of opened) await one.close();
});
async function use(name, options) {
  const one = await open(report(name), options);
  opened.push(one);
  return one.page;
}
async function finish() {
  while (opened.length > 0) await opened.pop().close();
}

const tip = (page) => page.locator(".tip:visible").innerText();
const lineOf = (page, name) =>
  page.evaluate((n) => {
    const rows = window.sluice.heat.rows;
    return rows.findIndex((r) => r.label === n);
  }, name);

test("shows the known change of the stream", async () => {
  const page = await use("change");
  assert.match(await page.title(), /Predicting y1/);
  const in_use = await page.locator("#in-use tbody th").allInnerTexts();
  assert.ok(in_use.includes("x10"), `in use at the end: ${in_use}`);
  assert.ok(!in_use.includes("x1"), `in use at the end: ${in_use}`);
  const events = await page.locator("#events").innerText();
  assert.match(events, /sudden change/);
  assert.match(events, /entered: x10/);
  await finish();
});

test("hover says name, weight, since when and gain", async () => {
  const page = await use("change");
  const at = await cell(page, await lineOf(page, "x10"), 800);
  await page.mouse.move(at.x, at.y);
  await settle(page);
  const text = await tip(page);
  assert.match(text, /^x10/);
  assert.match(text, /row 800|row 79\d|row 80\d/);
  assert.match(text, /selected from row 4\d\d to the end/);
  assert.match(text, /weight \d/);
  assert.match(text, /gain: the error over variance would rise by/);
  assert.match(text, /why it entered: error without it/);
  const early = await cell(page, await lineOf(page, "x10"), 200);
  await page.mouse.move(early.x, early.y);
  await settle(page);
  assert.match(await tip(page), /not selected here/);
  await finish();
});

test("the numbers are those of the summary of the stream", async () => {
  const page = await use("change");
  const summary = JSON.parse(readFileSync(join(process.env.SLUICE_WORK, "summary.json"), "utf8"));
  const shown = await page.locator("#figures tbody tr").first().locator("td").allInnerTexts();
  const target = summary.targets.y1 ?? Object.values(summary.targets)[0];
  assert.equal(shown[0], String(Number(target.rmse.toPrecision(4))));
  assert.equal(shown[2], String(Number(target.r2.toFixed(3))));
  await finish();
});

test("a drag chooses a span, a double click shows everything again", async () => {
  const page = await use("change");
  const from = await cell(page, 1, 300);
  const to = await cell(page, 1, 500);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, to.y);
  await page.mouse.move(to.x, to.y);
  await page.mouse.up();
  await settle(page);
  const chosen = await span(page);
  assert.ok(Math.abs(chosen[0] - 300) < 5 && Math.abs(chosen[1] - 500) < 5, `${chosen}`);
  assert.match(await page.locator("#figures").innerText(), /20[01] rows/);
  await page.mouse.dblclick(to.x - 100, to.y);
  await settle(page);
  assert.deepEqual(await span(page), [1, 900]);
  await finish();
});

test("buttons zoom and move, and a drag on the lines chooses a span", async () => {
  const page = await use("change");
  await page.getByRole("button", { name: "Zoom in" }).click();
  await settle(page);
  let [from, to] = await span(page);
  assert.ok(Math.abs(to - from - 449.5) < 1);
  await page.getByRole("button", { name: "Later" }).click();
  await settle(page);
  assert.ok((await span(page))[0] > from);
  await page.getByRole("button", { name: "Show everything" }).click();
  await settle(page);
  const over = await page.locator("#predicted .u-over").boundingBox();
  await page.mouse.move(over.x + over.width * 0.25, over.y + 50);
  await page.mouse.down();
  await page.mouse.move(over.x + over.width * 0.5, over.y + 60);
  await page.mouse.up();
  await settle(page);
  [from, to] = await span(page);
  assert.ok(Math.abs(from - 225) < 8 && Math.abs(to - 450) < 8, `${from} to ${to}`);
  await finish();
});

// The ends of the axis of values.
const axisOf = async (page, id) => {
  const data = await page.locator(`#${id} .lines`).first().evaluate((place) => ({ ...place.dataset }));
  return { low: Number(data.low), high: Number(data.high) };
};

test("one wrong value does not set the scale: it is marked, and shown where somebody asks for it", async () => {
  const page = await use("wrong");
  const note = page.locator("#predicted .far-away");
  assert.match(await note.innerText(), /1 point lies beyond this scale, marked at its edge; the farthest is 1 × 10⁷/);
  const most = await axisOf(page, "predicted");
  assert.ok(most.high < 50 && most.low > -50, `${most.low} to ${most.high}`);
  assert.match(await page.locator("#errors .far-away").innerText(), /beyond this scale/);
  await note.getByLabel("Show all values").check();
  await settle(page);
  assert.ok((await axisOf(page, "predicted")).high >= 1e7);
  assert.ok(await note.isVisible());
  await note.getByLabel("Show all values").uncheck();
  await settle(page);
  assert.ok((await axisOf(page, "predicted")).high < 50);
  // Where the wrong value is not in sight, nothing is said.
  await page.evaluate(() => window.sluice.view.setSpan(600, 900));
  await settle(page);
  assert.ok(!(await note.isVisible()));
  await finish();
});

test("without values far away the scale shows all of them", async () => {
  const page = await use("change");
  assert.ok(!(await page.locator("#predicted .far-away").isVisible()));
  const { low, high } = await axisOf(page, "predicted");
  const observed = await page.evaluate(() => window.sluice.view.history.targets[0].observed.mean.filter((v) => v !== null));
  assert.ok(low <= Math.min(...observed) && high >= Math.max(...observed));
  await finish();
});

async function saved(page, name) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name, exact: true }).click()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

test("another target has other lines and numbers, also in pictures that come into sight later", async () => {
  const page = await use("two", { height: 500 });
  const picture = async (part) => {
    await page.locator(`#${part}`).scrollIntoViewIfNeeded();
    await settle(page);
    return page.evaluate((id) => document.querySelector(`#${id} canvas`).toDataURL(), part);
  };
  const before = { errors: await picture("errors"), predicted: await picture("predicted") };
  await page.getByLabel("Target").selectOption("1");
  await settle(page);
  assert.match(await page.locator("#figures").innerText(), /^How good the predictions are\s+y2,/);
  assert.notEqual(await picture("predicted"), before.predicted);
  assert.notEqual(await picture("errors"), before.errors);
  await page.getByLabel("Target").selectOption("0");
  await settle(page);
  assert.equal(await picture("predicted"), before.predicted);
  await finish();
});

test("every picture is saved as PNG, SVG and CSV", async () => {
  const page = await use("dated");
  for (const name of ["selection", "predicted", "errors", "tuned"]) {
    const png = await saved(page, `Save ${name} as PNG`);
    assert.equal(png.name, `${name}.png`);
    assert.equal(png.bytes.subarray(1, 4).toString(), "PNG");
    assert.ok(png.bytes.length > 10000, `${name}.png has ${png.bytes.length} bytes`);
    const svg = (await saved(page, `Save ${name} as SVG`)).bytes.toString();
    const broken = await page.evaluate(
      (text) => new DOMParser().parseFromString(text, "image/svg+xml").querySelector("parsererror")?.textContent ?? "",
      svg,
    );
    assert.equal(broken, "");
    assert.match(svg, /2023|2024/);
    const csv = (await saved(page, `Save ${name} as CSV`)).bytes.toString();
    assert.ok(csv.split("\r\n").length > 10, csv.slice(0, 200));
  }
  const stays = (await saved(page, "Save selection as CSV")).bytes.toString();
  assert.match(stays, /^input,component,from_row,to_row,from_time,to_time,entries,rows,error_without,error_with\r\n/);
  assert.match(stays, /,2024-\d\d-\d\d,/);
  for (const name of ["events", "inputs in use"]) assert.ok((await saved(page, `Save ${name} as CSV`)).bytes.length > 20);
  await finish();
});

test("a name that is HTML stays text", async () => {
  const page = await use("hostile");
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator("img").count(), 0);
  assert.match(await page.locator("h1").innerText(), /<img src=x onerror=/);
  assert.match(await page.locator("#in-use").innerText(), /<\/script><img src=x onerror=/);
  const at = await cell(page, 0, 800);
  await page.mouse.move(at.x, at.y);
  await settle(page);
  const svg = (await saved(page, "Save selection as SVG")).bytes.toString();
  assert.ok(!svg.includes("<img"));
  const formula = (await saved(page, "Save selection as CSV")).bytes.toString();
  assert.ok(!/(^|,|\n)"?=/.test(formula), "a cell begins like a formula");
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  await finish();
});

test("no other script or style can run", async () => {
  const page = await use("change");
  const blocked = await page.evaluate(
    () =>
      new Promise((done) => {
        document.addEventListener("securitypolicyviolation", (e) => done(e.effectiveDirective));
        const script = document.createElement("script");
        script.textContent = "window.hacked = 1";
        document.body.append(script);
        setTimeout(() => done("nothing was blocked"), 1000);
      }),
  );
  assert.match(blocked, /^script-src/);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  opened.splice(0).forEach((one) => void one.close().catch(() => {})); // the policy's own message is in the console
});

test("everything is reached and used by keys alone", async () => {
  const page = await use("dated");
  const reached = new Set();
  for (let i = 0; i < 80; i++) {
    await page.keyboard.press("Tab");
    const name = await page.evaluate(() => {
      const e = document.activeElement;
      if (!e || e === document.body) return null;
      return e.getAttribute("aria-label") ?? e.labels?.[0]?.textContent ?? e.textContent;
    });
    if (name === null) break;
    reached.add(name);
  }
  for (const wanted of ["Skip to the selection", "Colours", "From", "to", "Zoom in", "Show everything", "Span of rows that is shown", "Order", "Lags as groups", "Save selection as PNG", "Save predicted as CSV", "Show", "Inputs in use"]) {
    assert.ok([...reached].some((name) => name === wanted), `${wanted} is not reached: ${[...reached].join(" | ")}`);
  }
  assert.ok([...reached].some((name) => name.startsWith("Selection over time")));
  await page.locator(".heat").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowRight");
  await settle(page);
  const spoken = await page.locator(".spoken").innerText();
  assert.match(spoken, /20(23|24)/);
  const before = await page.evaluate(() => window.sluice.heat.rows.length);
  await page.keyboard.press("Enter");
  await settle(page);
  assert.ok((await page.evaluate(() => window.sluice.heat.rows.length)) > before, "Enter unfolds a tag");
  await page.keyboard.press("+");
  await settle(page);
  const [from, to] = await span(page);
  assert.ok(to - from < 500);
  await page.keyboard.press("]");
  await settle(page);
  assert.ok((await span(page))[0] > from);
  await page.keyboard.press("0");
  await settle(page);
  assert.deepEqual(await span(page), [1, 900]);
  await finish();
});

test("dates are typed to choose a span, and written as a person does", async () => {
  const page = await use("dated");
  assert.match(await page.locator(".summary").innerText(), /1 January 2023 to 18 June 2025/);
  await page.getByLabel("From", { exact: true }).fill("2024-01-01");
  await page.getByLabel("to", { exact: true }).fill("2024-07-01");
  await page.keyboard.press("Tab");
  await settle(page);
  const [from, to] = await span(page);
  assert.ok(Math.abs(from - 366) < 2 && Math.abs(to - 548) < 2, `${from} to ${to}`);
  assert.match(await page.locator("#figures").innerText(), /January 2024/);
  await finish();
});

test("at 400 pixels nothing is wider than the window", async () => {
  for (const name of ["change", "dated", "hostile"]) {
    const page = await use(name, { width: 400 });
    const wide = await page.evaluate(() =>
      [...document.querySelectorAll("#page *")]
        .filter((e) => e.getBoundingClientRect().right > innerWidth + 0.5 && !e.closest(".table, .skip, .spoken, svg, .u-wrap"))
        .map((e) => `${e.tagName}.${e.className}: ${Math.round(e.getBoundingClientRect().right)}`),
    );
    assert.deepEqual(wide, [], name);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 400);
    await finish();
  }
});

test("light and dark, as the system or as chosen", async () => {
  const page = await use("change", { scheme: "dark" });
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await back();
  await page.getByLabel("Colours").selectOption("light");
  await settle(page);
  const light = await back();
  assert.notEqual(dark, light);
  await page.getByLabel("Colours").selectOption("dark");
  await settle(page);
  assert.equal(await back(), dark);
  await finish();
});

test("2,000 inputs scroll, and one is found by its name", async () => {
  const page = await use("wide");
  assert.equal(await page.evaluate(() => window.sluice.heat.rows.length), 2000);
  const seconds = await page.evaluate(async () => {
    const heat = document.querySelector(".heat");
    const start = performance.now();
    for (let i = 0; i < 60; i++) {
      heat.scrollTop = i * 500;
      await new Promise(requestAnimationFrame);
    }
    return (performance.now() - start) / 1000;
  });
  assert.ok(seconds < 6, `60 frames took ${seconds} s`);
  await page.getByLabel("Find").fill("n1234");
  await settle(page);
  assert.deepEqual(await page.evaluate(() => window.sluice.heat.rows.map((r) => r.label)), ["n1234"]);
  await finish();
});
