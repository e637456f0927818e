/** Why a line of a crontab cannot be imported: what is wrong, and what to do about it. */
export class CrontabError extends Error {
  override readonly name = "CrontabError";
}
