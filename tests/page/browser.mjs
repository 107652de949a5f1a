// browser.mjs -- Debian's Chromium with a new profile, for tests of the page. What the page must never do is noted: errors,
// and requests to anything but its own file or server.
import { strict as assert } from "node:assert";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { createRequire } from "node:module";

const require = createRequire(join(process.env.SLUICE_WEB, "package.json"));
const { chromium } = require("playwright-core");

const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

/** A file, or an address of a server on this machine. options.expect: what the console may say. */
export async function open(place, options = {}) {
  const url = /^http:/.test(place) ? place : `file://${place}`;
  const own = /^http:/.test(place) ? new URL(place).origin : null;
  const context = await chromium.launchPersistentContext(mkdtempSync(join(process.env.SLUICE_WORK, "profile-")), {
    executablePath: process.env.SLUICE_CHROMIUM,
    headless: true,
    args: FLAGS,
    viewport: { width: options.width ?? 1280, height: options.height ?? 900 },
    colorScheme: options.scheme ?? "light",
    acceptDownloads: true,
  });
  const page = context.pages()[0] ?? (await context.newPage());
  const troubles = [];
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (!["error", "warning"].includes(message.type()) || options.expect?.test(message.text())) return;
    troubles.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const allowed = own ? new RegExp(`^(data:|blob:|${own}/)`) : /^(file|data|blob):/;
    if (!allowed.test(request.url())) troubles.push(`request: ${request.url()}`);
  });
  page.on("dialog", (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  if (options.wait !== false) {
    await page.waitForSelector("#selection canvas");
    await settle(page);
  }
  return {
    page,
    close: async () => {
      await context.close();
      assert.deepEqual(troubles, []);
    },
  };
}

/** Until what was asked for is drawn. */
export const settle = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 180)))));

export const span = (page) => page.evaluate(() => [window.sluice.view.from, window.sluice.view.to]);

/** The middle of the cell of a line of the selection, at a row; lines count from 0 and are in sight. */
export async function cell(page, line, row) {
  const box = await page.locator(".heat").boundingBox();
  const [from, to] = await span(page);
  const left = box.width < 620 ? 92 : 150;
  const width = box.width - left - 24;
  return { x: box.x + left + ((row - from) / (to - from)) * width, y: box.y + 17 * line + 8 };
}
