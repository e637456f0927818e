/** An error in a line of a crontab, which cannot be imported: the message has the fault and its remedy. */
export class CrontabError extends Error {
  override readonly name = "CrontabError";
}
