// Runs deno with a docker daemon of its own, which `DOCKER_HOST` names: `with_docker.ts ARGUMENT…`. Needs root, Linux and
// Debian's docker.io.
const folder = await Deno.makeTempDir({ prefix: "dockerd-" });
const host = `unix://${folder}/docker.sock`;
const log = `${folder}/log`;

// What works on cgroup v1 and in a machine without a firewall's modules; containers get no network of docker's.
const flags = ["--storage-driver=vfs", "--iptables=false", "--ip6tables=false", "--bridge=none"];
const places = [
  `--data-root=${folder}/root`,
  `--exec-root=${folder}/exec`,
  `--pidfile=${folder}/pid`,
  `--host=${host}`,
];
const daemon = new Deno.Command("sh", {
  args: ["-c", 'log=$1; shift; exec "$@" >"$log" 2>&1', "dockerd", log, "dockerd", ...flags, ...places],
  stdin: "null",
}).spawn();
Deno.exitCode = 1;
let tests: Deno.ChildProcess | undefined;
// Their end is followed by the daemon's.
Deno.addSignalListener("SIGTERM", () => stop(tests ?? daemon));
try {
  await answer();
  const env = { DOCKER_HOST: host, CJC_TEST_ENGINE: "docker" };
  const command = new Deno.Command(Deno.execPath(), { args: Deno.args, env });
  tests = command.spawn();
  Deno.exitCode = (await tests.status).code;
} finally {
  stop(daemon);
  await daemon.status;
  // Mounts of containers that were at work may be left.
  const script = `grep -o " $1/[^ ]*" /proc/mounts | sort -r | xargs -r umount --lazy; rm -rf "$1"`;
  await new Deno.Command("sh", { args: ["-c", script, "sh", folder] }).output();
}

function stop(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGTERM");
  } catch {
    // It has ended by itself.
  }
}

async function answer(): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const { code } = await new Deno.Command("docker", {
      args: ["--host", host, "info"],
      stdout: "null",
      stderr: "null",
    })
      .output();
    if (code === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`Cannot reach dockerd:\n${Deno.readTextFileSync(log)}`);
}
