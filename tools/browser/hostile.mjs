// Hostile notes: each tries to run a script, to load something from another host, or to take over the page. Scripts call
// pwned(), which the checks define; requests go to evil.example, which the checks watch for.
import { write } from "./vaults.mjs";

const far = "https://evil.example";

// attacks are notes by what they try.
const attacks = {
  "Scripts": `<script>pwned()</script>\n\n<script src="${far}/a.js"></script>\n\n<SCRIPT\n>pwned()</SCRIPT>\n\ntext <script>pwned()</script> text\n\n<svg><script>pwned()</script></svg>\n\n<math><mtext><script>pwned()</script></mtext></math>\n`,
  "Handlers": `<img src=x onerror=pwned()>\n\n<body onload=pwned()>\n\n<details open ontoggle=pwned()>x</details>\n\n<input autofocus onfocus=pwned()>\n\n<a href=x onmouseover=pwned()>x</a>\n\n<div hx-on:load="pwned()" hx-get="${far}/h" hx-trigger="load">x</div>\n\n<div data-hx-get="/logout" data-hx-trigger="load"></div>\n`,
  "Remote": `![seen](${far}/pixel.png)\n\n![ref][far]\n\n<img src="${far}/b.png">\n\n![[${far}/c.png]]\n\n![x|300](//evil.example/d.png)\n\n<link rel=stylesheet href="${far}/e.css">\n\n<video src="${far}/f.mp4" autoplay></video>\n\n<iframe src="${far}/g"></iframe>\n\n<object data="${far}/h"></object>\n\n<embed src="${far}/i">\n\n<style>@import "${far}/j.css"; body { background: url(${far}/k.png) }</style>\n\n<div style="background:url(${far}/l.png)">x</div>\n\n[far]: ${far}/m.png\n`,
  "Frames": `<iframe srcdoc="<script>parent.pwned()</script>"></iframe>\n\n<iframe src="javascript:parent.pwned()"></iframe>\n\n<meta http-equiv="refresh" content="0;url=${far}/moved">\n\n<base href="${far}/">\n\n<form action="${far}/form"><button>go</button></form>\n`,
  "Links": ["javascript:pwned()", "JaVaScRiPt:pwned()", "java\tscript:pwned()", "java&#10;script:pwned()", "&#106;avascript:pwned()", "&#x6A;avascript&colon;pwned()", " javascript:pwned()", "\u0001javascript:pwned()", "vbscript:pwned()", "data:text/html,<script>pwned()</script>", "javascript://%0apwned()", "//evil.example/x", "\\\\evil.example\\x"]
    .flatMap((to, i) => [`[link ${i}](<${to}>)`, `[bare ${i}](${to})`, `<${to}>`, `[[${to}|wiki ${i}]]`, `[ref ${i}][r${i}]`, "", `[r${i}]: <${to}>`, ""]).join("\n\n"),
  "Names": `# main\n\n# said\n\n# now\n\n<form id=body name=getElementById><input name=attributes id=said></form>\n\n<a id=defaultConfig></a><img name=htmx>\n\n[[#main]]\n\n## __proto__\n\n## "><script>pwned()</script>\n\ntext ^main\n`,
  "Svg": `<svg onload=pwned()><animate attributeName=href values=javascript:pwned() /></svg>\n\n<svg><use href="${far}/u.svg#x"/></svg>\n\n![[evil.svg]]\n\n![local](evil.svg)\n`,
  "Code": "```html\n<script>pwned()</script>\n```\n\n``` <img/src=x/onerror=pwned()>\nx\n```\n\n```\"onmouseover=pwned()\nx\n```\n\n`<img src=x onerror=pwned()>`\n\n$<img src=x onerror=pwned()>$\n\n$$\n</script><script>pwned()</script>\n$$\n",
  "Obsidian": "> [!<img src=x onerror=pwned()>] <script>pwned()</script>\n> text\n\n> [!note\" onmouseover=pwned()] x\n\n==<script>pwned()</script>==\n\n%%<script>pwned()</script>%%\n\n![[\"><script>pwned()</script>]]\n\n#tag<script>pwned()</script>\n\n[^1]\n\n[^1]: <script>pwned()</script>\n",
  "Long": "word ".repeat(300) + "\n\n" + "x".repeat(5000) + "\n\n|" + " column |".repeat(60) + "\n|" + "---|".repeat(60) + "\n" + ("|" + " a cell of some width |".repeat(60) + "\n").repeat(200) + "\n" + "> ".repeat(500) + "deep\n\n" + "[".repeat(3000) + "\n\n" + "*a **b ".repeat(2000) + "\n",
};

// picture is an SVG that would run scripts and load files if it were shown as a page.
const picture = `<svg xmlns="http://www.w3.org/2000/svg" onload="pwned()"><script>pwned()</script><image href="${far}/n.png"/></svg>`;

// evilNames are names of notes that contain markup.
export const evilNames = ["<img src=x onerror=pwned()>", "\"><script>pwned()<", "' onmouseover='pwned()", "{{7*7}} ${pwned()}", "javascript:pwned()"];

// word is in every note, so that one search finds them all.
export const word = "mischief";

export const names = Object.keys(attacks);

export function hostileVault() {
  const notes = { "evil.svg": picture, "Pictures/page.png": "<script>pwned()</script>", "Pictures/pixel.gif": Buffer.from("R0lGODlhAQABAIAAAAUEBAAAACwAAAAAAQABAAACAkQBADs=", "base64") };
  for (const [name, text] of Object.entries(attacks)) notes[`${name}.md`] = `${text}\n\n${word} before <script>pwned()</script> <img src=x onerror=pwned()> ${word}\n\n[[Centre]]\n`;
  for (const name of evilNames) notes[`${name}.md`] = `${word}\n\n[[Centre]]\n`;
  notes["Properties.md"] = `---\ntags: ["<script>pwned()</script>", "x\\" onmouseover=pwned()"]\naliases: ["<img src=x onerror=pwned()>"]\n"<script>pwned()</script>": "<script>pwned()</script>"\nlink: "javascript:pwned()"\npicture: "${far}/o.png"\nnested: {"<b>": ["<img src=x onerror=pwned()>"]}\n---\n${word}\n\n[[Centre]]\n`;
  notes["Centre.md"] = `${word}\n\n${evilNames.map((name) => `[[${name}]]`).join("\n")}\n\n![[Pictures/page.png]]\n\n![[Pictures/pixel.gif]]\n`;
  return write("Hostile <b>vault", notes);
}
