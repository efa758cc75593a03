// The groups of checks, the longest first, so that none of them runs alone at the end.
import { access } from "./views/access.mjs";
import { changes } from "./views/changes.mjs";
import { conflicts } from "./views/conflicts.mjs";
import { connect } from "./views/connect.mjs";
import { csrf } from "./views/csrf.mjs";
import { files } from "./views/files.mjs";
import { graph, tenThousand } from "./views/graph.mjs";
import { health } from "./views/health.mjs";
import { hostile } from "./views/hostile.mjs";
import { keyboard } from "./views/keyboard.mjs";
import { livesync } from "./views/livesync.mjs";
import { login } from "./views/login.mjs";
import { looksDesktop, looksPhone, narrow } from "./views/looks.mjs";
import { note, odd } from "./views/note.mjs";
import { off } from "./views/off.mjs";
import { overview } from "./views/overview.mjs";
import { plain } from "./views/plain.mjs";
import { policy } from "./views/policy.mjs";
import { prefix } from "./views/prefix.mjs";
import { query } from "./views/query.mjs";
import { readme } from "./views/readme.mjs";
import { search } from "./views/search.mjs";
import { tasks } from "./views/tasks.mjs";
import { tools } from "./views/tools.mjs";

export const stories = {
  login, "looks on a desktop": looksDesktop, "looks on a phone": looksPhone, keyboard, csrf, hostile, "narrow screens": narrow, overview, livesync,
  "without scripts": plain, "ten thousand notes": tenThousand, search, graph, note, files, "odd notes": odd, tasks, query, health, tools, policy, prefix, connect, changes, conflicts, access, readme, off,
};
