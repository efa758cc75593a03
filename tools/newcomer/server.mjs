// Runs the program over HTTP, as the documents start it.
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { serve } from "../clients/serve.mjs";

export const startServer = (binary, vault, work) => serve(binary, vault, mkdtempSync(join(work, "state-")));
