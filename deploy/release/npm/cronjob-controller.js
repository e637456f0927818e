#!/usr/bin/env node
// Runs the executable of this platform's package, which npm installs as an optional dependency.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";

const name = `@cronjob-controller/${process.platform}-${process.arch}`;

function fail(message) {
  console.error(message);
  process.exit(1);
}

function folderOf(name) {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch {
    return fail(
      `Cannot find ${name}: install cronjob-controller with optional dependencies (npm install --include=optional), ` +
        "on a platform that it has: Linux with glibc or macOS (x64, arm64), Windows (x64)",
    );
  }
}

const program = join(folderOf(name), process.platform === "win32" ? "cronjob-controller.exe" : "cronjob-controller");
// A terminal sends the first to both, which the program counts once. Windows' own reaches both, and a signal would kill.
// They are listened to before there is a program: a signal that came first would end this process alone.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"]) {
  process.on(signal, () => process.platform === "win32" || child.kill(signal));
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", ({ message }) => fail(`Cannot run ${program}: ${message}`));
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
