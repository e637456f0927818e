// What a test puts in place of `systemctl`, `loginctl` and `journalctl`: hands the call to the stand-in, and answers as it says.
const [socket = "", ...call] = Deno.args;
const connection = await Deno.connect({ transport: "unix", path: socket });
await connection.write(new TextEncoder().encode(`${JSON.stringify(call)}\n`));
const answer = JSON.parse(await new Response(connection.readable).text()) as { code: number; stdout: string };
await Deno.stdout.write(new TextEncoder().encode(answer.stdout));
Deno.exit(answer.code);
