import type { EngineCommand } from "./engine_command.ts";

/** Made here, as a machine may have no way to a registry. */
export const PAUSE_IMAGE = "localhost/cronjob-controller-pause:1";

/**
 * What waits for signals forever and lets the children that others leave to it be forgotten: `sigaction(SIGCHLD, SIG_IGN)`,
 * and `pause()` (x86-64) or `ppoll()` without an end (ARM) in a loop, as the machine's own instructions.
 */
const CODE: Readonly<Record<typeof Deno.build.arch, { readonly machine: number; readonly base64: string }>> = {
  x86_64: {
    machine: 62,
    base64: "uA0AAAC/EQAAAEiNNRcAAAAx0kG6CAAAAA8FuCIAAAAPBev3Dx9AAAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  },
  aarch64: {
    machine: 183,
    base64:
      "yBCA0iACgNKBAQAQAgCA0gMBgNIBAADUKAmA0gAAgNIBAIDSAgCA0gMAgNIEAIDSAQAA1Pn//xcBAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==",
  },
};

const ELF_HEADER = 64;
const PROGRAM_HEADER = 56;
const LOAD_AT = 0x400000;
const BLOCK = 512;

/** Makes the image whose only program holds open what containers of a Pod share, unless it is there. */
export async function makePauseImage(command: EngineCommand): Promise<void> {
  const { code } = await command.run(["image", "inspect", "--format", "{{.Id}}", PAUSE_IMAGE]);
  if (code === 0) return;
  const stdin = tarOf("pause", pauseProgram(Deno.build.arch));
  await command.output(["import", "--change", 'ENTRYPOINT ["/pause"]', "-", PAUSE_IMAGE], { stdin });
}

/** Returns a static executable for Linux. */
function pauseProgram(arch: typeof Deno.build.arch): Uint8Array {
  const { machine, base64 } = CODE[arch];
  const code = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const start = ELF_HEADER + PROGRAM_HEADER;
  const size = start + code.length;
  const program = new Uint8Array(size);
  const view = new DataView(program.buffer);
  const write16 = (offset: number, value: number) => view.setUint16(offset, value, true);
  const write32 = (offset: number, value: number) => view.setUint32(offset, value, true);
  const write64 = (offset: number, value: number) => view.setBigUint64(offset, BigInt(value), true);
  // Little-endian, 64 bits, version 1.
  program.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  write16(16, 2); // An executable.
  write16(18, machine);
  write32(20, 1);
  write64(24, LOAD_AT + start);
  write64(32, ELF_HEADER);
  write16(52, ELF_HEADER);
  write16(54, PROGRAM_HEADER);
  write16(56, 1); // One segment: all of the file, to be read and executed.
  write32(ELF_HEADER, 1);
  write32(ELF_HEADER + 4, 5);
  write64(ELF_HEADER + 16, LOAD_AT);
  write64(ELF_HEADER + 24, LOAD_AT);
  write64(ELF_HEADER + 32, size);
  write64(ELF_HEADER + 40, size);
  write64(ELF_HEADER + 48, 0x1000);
  program.set(code, start);
  return program;
}

/** Returns an archive with one executable file. */
function tarOf(name: string, content: Uint8Array): Uint8Array {
  const header = new Uint8Array(BLOCK);
  const write = (offset: number, text: string) => header.set(new TextEncoder().encode(text), offset);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, "0");
  write(0, name);
  write(100, `${octal(0o755, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`);
  write(124, `${octal(content.length, 11)} ${octal(0, 11)} `);
  write(148, " ".repeat(8));
  write(156, "0");
  write(257, "ustar\x0000");
  write(148, `${octal(header.reduce((sum, byte) => sum + byte, 0), 6)}\0 `);
  const padded = Math.ceil(content.length / BLOCK) * BLOCK;
  const tar = new Uint8Array(BLOCK + padded + 2 * BLOCK);
  tar.set(header);
  tar.set(content, BLOCK);
  return tar;
}
