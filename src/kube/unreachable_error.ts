/** No answer of the API server: the connection could not be made, broke, or stayed silent for too long. */
export class UnreachableError extends TypeError {
  override readonly name = "UnreachableError";
}
