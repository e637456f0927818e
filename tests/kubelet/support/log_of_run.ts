import { OutputTail } from "../../../src/kubelet/files/output_tail.ts";
import { RunFiles } from "../../../src/kubelet/files/run_files.ts";
import { LOG_LIMITS, type LogLimits, RunLog } from "../../../src/kubelet/files/run_log.ts";
import { FakeClock } from "../../support/fake_clock.ts";

/** Limits in lines of 30 bytes. */
export const SMALL = { kept: 90, slack: 30, index: 1_000 };

/** A run's log in a directory of its own, with a clock that a test moves by hand. */
export class LogOfRun implements Disposable {
  readonly directory = Deno.makeTempDirSync({ prefix: "run-log-" });
  readonly files = new RunFiles(this.directory, 0);
  readonly log = new RunLog(this.files);
  readonly clock = new FakeClock(1_000_000);
  readonly lines: string[] = [];

  tail(limits: LogLimits = LOG_LIMITS): OutputTail {
    return new OutputTail(this.log, { clock: this.clock, limits, onLine: (line) => this.lines.push(line) });
  }

  write(text: string): void {
    Deno.writeTextFileSync(this.files.log, text, { append: true });
  }

  all(from = 0): string {
    const parts: string[] = [];
    for (let offset = from;;) {
      const read = this.log.read(offset);
      if (read.bytes.length === 0) return parts.join("");
      parts.push(new TextDecoder().decode(read.bytes));
      offset = read.next;
    }
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.directory, { recursive: true });
  }
}
