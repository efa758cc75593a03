// Prints requests and answers for people: in colour on a terminal, unless NO_COLOR is set.
const coloured = process.stdout.isTTY && !process.env.NO_COLOR;
const width = Math.max(60, Math.min(process.stdout.columns || 110, 140));
let requests = 0;

// heading prints a line in bold.
export function heading(text) {
  console.log(`${paint(1, text)}\n`);
}

// request prints a numbered question and the call that answers it.
export function request(question, tool, args, took) {
  requests++;
  console.log(`${paint("1;36", `${requests}  ${question}`)}`);
  console.log(cut(`   ${tool} ${JSON.stringify(args)}`, width - 10, 2) + paint(33, `  ${took.toFixed(took < 10 ? 1 : 0)} ms`));
}

// answerLines prints lines, cut to the width of the screen.
export function answerLines(lines) {
  for (const line of lines) console.log(paint(32, "   │ ") + cut(line.replace(/\s+$/, ""), width - 5));
  console.log();
}

function cut(text, most, code = 0) {
  const letters = [...text];
  return paint(code, letters.length > most ? letters.slice(0, most - 1).join("") + "…" : text);
}

function paint(code, text) {
  return coloured && code ? `\x1b[${code}m${text}\x1b[0m` : text;
}
