import type { Command } from "commander";
import { type DataDirOption, dataDirOption, defaultDataDir } from "../shared/data_dir.ts";
import { addHelpNotes, type HelpNotes } from "../help/notes.ts";

const NOTES: HelpNotes = {
  text: `
It may be taken while standalone runs: it holds all objects as they are at one moment. Certificates and tokens are not in
it. Secrets are, so only you can read the file. "restore" puts it back.`,
  examples: [
    ["backup objects.backup", "all that standalone keeps"],
    ["backup objects.backup --data-dir .data", "of another data dir"],
  ],
};

/** Adds `backup`: the objects of a data dir in one file. */
export function addBackupCommand(program: Command): void {
  addHelpNotes(program.command("backup"), NOTES)
    .summary("copy the objects that standalone keeps into one file")
    .description("Copies the objects that standalone keeps into one file.")
    .argument("<file>", "where to; what is there is replaced once the copy is whole")
    .addOption(dataDirOption("of standalone"))
    .action(async (file: string, options: DataDirOption) => {
      const { backupDatabase } = await import("../../apiserver/storage/backup.ts");
      const dataDir = options.dataDir ?? defaultDataDir();
      await backupDatabase(dataDir, file);
      console.log(`Backed up ${dataDir} to ${file}`);
    });
}
