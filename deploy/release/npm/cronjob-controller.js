#!/usr/bin/env node
// Runs the executable of this platform's package, which npm installs as an optional dependency.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";

const name = `@cronjob-controller/${process.platform}-${process.arch}`;

function folderOf(name) {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch {
    console.error(
      `Cannot find ${name}: install cronjob-controller with optional dependencies, on a platform that it has`,
    );
    process.exit(1);
  }
}

const program = process.platform === "win32" ? "cronjob-controller.exe" : "cronjob-controller";
const child = spawn(join(folderOf(name), program), process.argv.slice(2), { stdio: "inherit" });
// A terminal sends it to both.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
