// What a page can do with scripts that it could not without: copy, and
// leave the reader alone while it brings itself up to date.
"use strict";

addEventListener("click", async (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.copy) {
    const text = document.querySelector(button.dataset.copy).textContent;
    say((await copied(text)) ? "Copied" : "The browser did not allow copying");
  }
});

// copied puts a text on the clipboard. Without TLS only the old way is there.
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

// say tells what happened, for a while.
let silence;
function say(text) {
  const line = document.getElementById("said");
  line.textContent = text;
  clearTimeout(silence);
  silence = setTimeout(() => { line.textContent = ""; }, 2500);
}

// A button that stands outside of its form is part of what is sent.
addEventListener("htmx:configRequest", (event) => {
  const by = event.detail.triggeringEvent?.submitter;
  if (by?.name) event.detail.parameters[by.name] = by.value;
});

// A part that brings itself up to date waits while nobody looks, and while
// somebody is about to use it.
let behind = false; // the list of changes is, since somebody was about to use it
addEventListener("htmx:beforeRequest", (event) => {
  const part = event.target;
  const inUse = part.contains(document.activeElement) || part.querySelector("button:hover");
  if (part.id === "recent") behind = Boolean(inUse);
  if ((part.id === "now" && document.hidden) || ((part.id === "now" || part.id === "recent") && inUse)) {
    event.preventDefault();
  }
});
addEventListener("htmx:afterSettle", (event) => {
  if (event.target.id === "now" && behind) document.body.dispatchEvent(new Event("history-changed"));
});

// failed tells why there is no answer: where it would stand, so that an earlier
// one is not taken for it, or for a while where nobody has asked.
const answers = ["result", "found", "preview", "checks"];
function failed(event, why) {
  const { target } = event.detail;
  if (!answers.includes(target?.id)) return say(why);
  if (target.id === "found") document.getElementById("search-status").textContent = "";
  const problem = document.createElement("div"), words = document.createElement("strong");
  problem.className = "problem";
  problem.setAttribute("role", "alert");
  words.textContent = why;
  problem.append(words);
  target.replaceChildren(problem);
}

// What is no page, such as a refusal before the page was asked, is told in words.
addEventListener("htmx:beforeSwap", (event) => {
  const { xhr } = event.detail;
  if (xhr.getResponseHeader("Content-Type")?.startsWith("text/html") || !xhr.response) return;
  event.detail.shouldSwap = false;
  let why = `The server answers ${xhr.status}`;
  try {
    why = JSON.parse(xhr.response).error_description ?? why;
  } catch {
    // it is as good as can be told
  }
  failed(event, why);
});

addEventListener("htmx:sendError", (event) => failed(event, "The server does not answer"));
