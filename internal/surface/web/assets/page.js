// What needs scripts: copying, and not disturbing the reader while the page refreshes
// itself.
"use strict";

addEventListener("click", async (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.copy) {
    const text = document.querySelector(button.dataset.copy).textContent;
    say((await copied(text)) ? "Copied" : "The browser did not allow copying");
  }
});

// copied puts a text on the clipboard. Without TLS only the old API works.
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

// say shows what happened for a moment.
let silence;
function say(text) {
  const line = document.getElementById("said");
  line.textContent = text;
  clearTimeout(silence);
  silence = setTimeout(() => { line.textContent = ""; }, 2500);
}

// A button outside its form is sent along with it.
addEventListener("htmx:configRequest", (event) => {
  const by = event.detail.triggeringEvent?.submitter;
  if (by?.name) event.detail.parameters[by.name] = by.value;
});

// A part that refreshes itself waits while the page is hidden and while somebody is about
// to use it.
let behind = false; // the list of changes is stale, because somebody was about to use it
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

// failed says why there is no answer: in place of the answer, so that an earlier one is not
// mistaken for it, or for a moment if nobody asked for one.
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

// A response that is not HTML, such as a refusal by the server, is shown as a message.
addEventListener("htmx:beforeSwap", (event) => {
  const { xhr } = event.detail;
  if (xhr.getResponseHeader("Content-Type")?.startsWith("text/html") || !xhr.response) return;
  event.detail.shouldSwap = false;
  let why = `The server answered with status ${xhr.status}`;
  try {
    why = JSON.parse(xhr.response).error_description ?? why;
  } catch {
    // keep the status code
  }
  failed(event, why);
});

addEventListener("htmx:sendError", (event) => failed(event, "The server does not answer"));
