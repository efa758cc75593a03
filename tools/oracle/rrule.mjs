// Prints what rrule makes of generated recurrences, and the next date as the plugin Tasks computes it, one JSON object a
// line. The seed is fixed.
//   node tools/oracle/rrule.mjs [COUNT]
import rrule from "rrule";
import { seeded } from "./random.mjs";

const { RRule } = rrule;
const count = Number(process.argv[2] ?? 10000);

const { below, pick } = seeded(20261117);

const days = ["Monday", "tuesday", "Wed", "thu", "Friday", "Sat", "Sunday", "mo", "fr"];
const months = ["January", "feb", "March", "April", "may", "June", "July", "August", "sept", "October", "Nov", "December"];
const nths = ["first", "second", "third", "last", "1st", "2nd", "3rd", "4th", "15th", "31st", "2nd last", "third last", "29th"];
const joins = [", ", " and ", " or "];

function list(of) {
  let text = of();
  for (let i = below(3); i > 0; i--) text += pick(joins) + of();
  return text;
}

function on() {
  switch (below(6)) {
    case 0: return " on " + list(() => pick(days));
    case 1: return " on the " + list(() => pick(nths));
    case 2: return " on the " + list(() => pick(nths) + " " + pick(days));
    case 3: return " in " + list(() => pick(months));
    case 4: return " on weekdays";
  }
  return "";
}

function rule() {
  const n = below(3) ? "" : `${1 + below(6)} `;
  let text = "";
  switch (below(9)) {
    case 0: text = `every ${n}day${n ? "s" : ""}`; break;
    case 1: text = `every ${n}week${n ? "s" : ""}` + on(); break;
    case 2: case 3: text = `every ${n}month${n ? "s" : ""}` + on(); break;
    case 4: text = `every ${n}year${n ? "s" : ""}` + on(); break;
    case 5: text = "every " + list(() => pick(days)); break;
    case 6: text = "every " + list(() => pick(months)) + on(); break;
    case 7: text = "every weekday"; break;
    default: text = pick(["every", "every other day", "daily", "every 0 days", "every week on", "every month on the", "every fortnight", "every 2 weekdays", "every day for 3 times"]);
  }
  return below(12) ? text : text + pick([" please", ",", " for 5 times", " on", "!"]);
}

const day = (date) => date.toISOString().slice(0, 10);
const endOf = (date) => new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate(), 23, 59, 59, 999));
const shifted = (date, by) => new Date(date.getTime() + by * 86400000);

function next(options, due) {
  let base = due, found = new RRule({ ...options, dtstart: base }).after(endOf(base));
  const text = new RRule({ ...options, dtstart: due }).toText();
  const stepBack = (skips) => {
    for (let i = 0; found && skips() && i < 2000; i++) {
      base = shifted(base, -1);
      found = new RRule({ ...options, dtstart: base }).after(base);
    }
  };
  const month = text.match(/every( \d+)? month(s)?(.*)?/);
  if (month && !text.includes(" on ")) {
    stepBack(() => (found.getUTCFullYear() - base.getUTCFullYear()) * 12 + found.getUTCMonth() - base.getUTCMonth() > Number(month[1] ?? 1));
  }
  const year = text.match(/every( \d+)? year(s)?(.*)?/);
  if (year) stepBack(() => found.getUTCFullYear() - base.getUTCFullYear() > Number(year[1] ?? 1));
  return { text, next: found ? day(found) : "" };
}

for (let i = 0; i < count; i++) {
  const text = rule(), due = new Date(Date.UTC(2020 + below(10), below(12), 1 + below(31)));
  let options = null;
  try { options = RRule.parseText(text); } catch { /* unreadable */ }
  console.log(JSON.stringify({ rule: text, due: day(due), ...(options ? next(options, due) : { text: "", next: "" }) }));
}
