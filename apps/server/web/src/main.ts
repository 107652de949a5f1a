// main.ts -- a report has its data inside; the page of a server asks for them.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { takeSnapshot, type Part } from "./data";
import { el } from "./dom";
import { showPage } from "./page";
import { LivePage } from "./live_page";
import { View } from "./view";

const text = document.getElementById("data")!.textContent!;
try {
  const part = JSON.parse(text) as Part | { live: true };
  if ("live" in part) {
    new LivePage();
  } else {
    if (part.version !== 1) throw new Error(`it has data of version ${part.version}, and this page reads version 1`);
    showPage(new View(takeSnapshot(part)), null, `Made by sluice ${part.sluice}. This page sends nothing and loads nothing.`);
  }
} catch (error) {
  document
    .getElementById("page")!
    .replaceChildren(el("p", { class: "waiting" }, `This report cannot be shown: ${(error as Error).message}. Make it again with sluice report.`));
  throw error;
}
