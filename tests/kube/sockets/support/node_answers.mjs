// Reads answers (a line of base64 each) as node's own HTTP client does, and writes a line of JSON for each: status and body, or why not.
import http from "node:http";
import { createInterface } from "node:readline";
import { Duplex } from "node:stream";

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await read(Buffer.from(line, "base64"))));
}

function read(bytes) {
  return new Promise((resolve) => {
    const refused = (error) => resolve({ refused: error.code ?? error.message });
    const request = http.request({ method: "POST", createConnection: () => wire(bytes) }, (answer) => {
      const parts = [];
      answer.on("data", (part) => parts.push(part));
      answer.on("error", refused);
      answer.on("end", () => {
        const body = Buffer.concat(parts).toString("base64");
        resolve(answer.complete ? { status: answer.statusCode, body } : { refused: "incomplete" });
      });
    });
    request.on("error", refused);
    request.end();
  });
}

/** A connection that gives these bytes once it was asked, and ends. */
function wire(bytes) {
  return new Duplex({
    read() {},
    write(_chunk, _encoding, done) {
      this.push(bytes);
      this.push(null);
      bytes = null;
      done();
    },
  });
}
