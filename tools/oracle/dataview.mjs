// Prints how the parser of the plugin Dataview reads generated expressions and queries, one JSON object a line. The seed is
// fixed. The trees are those of testdata/dataview/cases/parser.json.
//   TZ=UTC node tools/oracle/dataview.mjs [COUNT]
import Module, { createRequire } from "node:module";
import { seeded } from "./random.mjs";

Date.now = () => Date.parse("2026-11-16T10:00:00Z");
// The package asks for the app, and uses none of it here.
const load = Module._load;
Module._load = (name, ...rest) => (name === "obsidian" ? {} : load(name, ...rest));
const { EXPRESSION, QUERY_LANGUAGE } = createRequire(import.meta.url)("obsidian-dataview");
const { below, pick } = seeded(20261118);
const count = Number(process.argv[2] ?? 10000);

const names = ["a", "due", "file.name", "rating", "x1", "this.day", "file.tasks.due", "über", "naïve-key", "a_b", "key-with-dash", "trueish", "TRUE", "from", "FROM", "where", "and", "or", "📅", "a📅b", "rows", "日本"];
const texts = ['""', '"a b"', '"a\\"b"', '"\\\\"', '"\\d+"', '"ü"', '"#tag"', '"[[x]]"', "'single'", '"open'];
const numbers = ["0", "1", "-1", "3.14", "007", "-0.5", "1e3", ".5", "1.", "1,000"];
const dates = ["2026-11-16", "2026-11", "2026-02-30", "2026-13-01", "2026-11-16T10:30", "2026-11-16T10:30:05.123", "2026-11-16T10:30:05+02:00", "2026-11-16T10:30:05Z", "2026-11-16T10:30:05[Europe/Berlin]", "today", "sow", "eom", "start-of-year", "now", "yesterday", "soon", " today "];
const lengths = ["1d", "7 days", "2 hrs, 5 min", "1 yr 2mo", "1h30m", "3 weeks, 1 potato", "-1 day", "1.5 h", "10s", "1 d,2 h", "5 mins 3 secs"];
const links = ["[[note]]", "[[a/b.md]]", "[[note#Heading]]", "[[note#^block]]", "[[note|shown]]", "[[note#Heading|shown]]", "![[note]]", "[[]]", "[[#]]", "[[a|b|c]]", "[[a\\|b]]", "[[note", "[[1, 2]]"];
const tags = ["#tag", "#tag/sub", "#tag-x_y", "#ü", "#1", "#a#b", "#📅", "#"];
const functions = ["length", "contains", "map", "filter", "date", "dur", "sum", "list", "object", "default", "choice", "nope"];
const operators = ["+", "-", "*", "/", "%", "<", "<=", ">", ">=", "=", "!=", "&", "|", "and", "or", "AND", "Or", "==", "&&", "not"];
const blank = () => pick(["", "", " ", " ", "  ", "\n", "\t"]);
const several = (most, make, join = () => "," + blank()) => {
  let text = "";
  for (let i = below(most + 1); i > 0; i--) text += (text && join()) + make();
  return text;
};

function expression(depth) {
  const inner = () => expression(depth - 1);
  switch (depth <= 0 ? below(8) : below(18)) {
    case 0: case 1: case 2: return pick(names);
    case 3: return pick(texts);
    case 4: return pick(numbers);
    case 5: return pick([`date(${pick(dates)})`, `dur(${pick(lengths)})`, `date("${pick(dates)}")`]);
    case 6: return pick(links);
    case 7: return pick(["true", "false", "null", pick(tags), "True"]);
    case 8: case 9: case 10: case 11: return inner() + blank() + pick(operators) + blank() + inner();
    case 12: return pick(["!", "-", "! "]) + inner();
    case 13: return "(" + blank() + inner() + blank() + ")";
    case 14: return pick(functions) + blank().trim() + "(" + blank() + several(3, inner) + blank() + ")";
    case 15: return `${pick(functions)}(${inner()}, (${several(2, () => pick(["x", "y", "a-b"]))}) ${pick(["=>", "=>", "->"])} ${inner()})`;
    case 16: return pick([() => "[" + several(3, inner) + blank() + "]", () => "{" + several(2, () => pick(["a", '"b c"', "k-1"]) + blank() + ":" + blank() + inner()) + "}"])();
  }
  return inner() + pick([".name", ".file.day", "[0]", '["a"]', "[" + inner() + "]", ".1", "." + pick(names)]);
}

function source(depth) {
  const inner = () => source(depth - 1);
  switch (depth <= 0 ? below(6) : below(10)) {
    case 0: case 1: return pick(tags);
    case 2: return pick(['"folder"', '"a/b"', '""', '"a.md"', "'x'"]);
    case 3: return pick(links);
    case 4: return `outgoing(${pick(links)})`;
    case 5: return pick(['csv("a.csv")', "csv(a.csv)", 'csv( "a")']);
    case 6: case 7: return inner() + pick([" and ", " or ", " & ", "|", " AND ", " OR "]) + inner();
    case 8: return pick(["-", "!", "- "]) + inner();
  }
  return "(" + blank() + inner() + blank() + ")";
}

const named = () => expression(1) + pick(["", "", " AS name", ' as "A name"', " AS a.b", " AS"]);
const clauses = [
  () => "FROM " + source(1), () => "where " + expression(2), () => "SORT " + expression(1) + pick(["", " asc", " DESC", " descending", ", rating", " DESC, a ASC"]),
  () => "LIMIT " + pick(["1", "10", "-1", "a", "2 + 3"]), () => "GROUP BY " + named(), () => "FLATTEN " + named(), () => "// a comment", () => "GROUP  BY a", () => "HAVING a",
];
const headers = [
  () => "TABLE", () => "TABLE " + several(3, named), () => "TABLE WITHOUT ID " + several(2, named), () => "LIST", () => "list " + expression(1), () => "LIST WITHOUT ID " + expression(1),
  () => "TASK", () => "CALENDAR " + expression(1), () => "CALENDAR", () => "TABLES",
];

function query() {
  let text = pick(headers)();
  if (below(3)) text += pick([" ", "\n", "\n\n"]) + "FROM " + source(2);
  return text + several(3, () => pick(clauses)(), () => pick([" ", "\n", "\n// why\n"])).replace(/^(?=.)/, pick([" ", "\n"]));
}

function mutated(text) {
  const at = below(text.length + 1);
  switch (below(12)) {
    case 0: return text.slice(0, at) + pick(["(", ")", "[", "]", '"', ",", ".", " ", "-", "\n", "x", "#", "|", "\\"]) + text.slice(at);
    case 1: return text.slice(0, at) + text.slice(at + 1);
    case 2: return text.slice(0, at);
  }
  return text;
}

const plain = (v) => {
  if (typeof v === "number" && !Number.isFinite(v)) return { $num: String(v) };
  if (v === null || typeof v !== "object") return v ?? null;
  if (v.isLuxonDateTime) return { $date: v.toISO() };
  if (v.isLuxonDuration) return { $dur: v.toISO(), ms: v.toMillis() };
  if (Array.isArray(v)) return v.map(plain);
  const link = { path: v.path, type: v.type };
  if (v.subpath) link.subpath = v.subpath;
  if (v.display) link.display = v.display;
  if (v.embed) link.embed = true;
  return { $link: link };
};

function tree(e) {
  switch (e.type) {
    case "literal": return ["lit", plain(e.value)];
    case "variable": return ["var", e.name];
    case "binaryop": return ["op", e.op, tree(e.left), tree(e.right)];
    case "negated": return ["not", tree(e.child)];
    case "index": return ["idx", tree(e.object), tree(e.index)];
    case "function": return ["call", tree(e.func), ...e.arguments.map(tree)];
    case "lambda": return ["fn", e.arguments, tree(e.value)];
    case "list": return ["list", ...e.values.map(tree)];
    case "object": return ["obj", ...Object.entries(e.values).map(([key, value]) => [key, tree(value)])];
  }
  throw new Error(e.type);
}

function sourceTree(s) {
  switch (s.type) {
    case "tag": return ["tag", s.tag];
    case "folder": return ["folder", s.folder];
    case "csv": return ["csv", s.path];
    case "link": return [s.direction, s.file];
    case "binaryop": return [s.op === "&" ? "and" : "or", sourceTree(s.left), sourceTree(s.right)];
    case "negate": return ["not", sourceTree(s.child)];
  }
  throw new Error(s.type);
}

const namedTree = (f) => ({ name: f.name, expr: tree(f.field) });
function commandTree(o) {
  switch (o.type) {
    case "where": return { where: tree(o.clause) };
    case "limit": return { limit: tree(o.amount) };
    case "sort": return { sort: o.fields.map((f) => [tree(f.field), f.direction === "descending" ? "desc" : "asc"]) };
    case "group": return { group: tree(o.field.field), name: o.field.name };
    case "flatten": return { flatten: tree(o.field.field), name: o.field.name };
  }
  return { stray_from: true, source: sourceTree(o) };
}

function queryTree({ header, source, operations }) {
  const result = { type: header.type, source: sourceTree(source), commands: operations.map(commandTree) };
  if (header.type === "table") Object.assign(result, { columns: header.fields.map(namedTree), show_id: header.showId });
  if (header.type === "list") Object.assign(result, { format: header.format ? tree(header.format) : null, show_id: header.showId });
  if (header.type === "calendar") result.field = namedTree(header.field);
  return result;
}

for (let i = 0; i < count; i++) {
  const isQuery = i % 2 === 1, text = mutated(isQuery ? query() : expression(3));
  const parsed = (isQuery ? QUERY_LANGUAGE.query : EXPRESSION.field).parse(text);
  const answer = { text, query: isQuery, accepted: parsed.status };
  if (parsed.status) answer.tree = isQuery ? queryTree(parsed.value) : tree(parsed.value);
  console.log(JSON.stringify(answer));
}
