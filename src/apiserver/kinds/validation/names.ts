const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

const SUBDOMAIN_MESSAGE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
  "and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_MESSAGE = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', " +
  "and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

/** Messages about a name that must be a DNS subdomain. With `prefix` it is a generateName: a trailing `-` is fine. */
export function subdomainErrors(name: string, prefix = false): string[] {
  return check(prefix ? maskTrailingDash(name) : name, 253, SUBDOMAIN, SUBDOMAIN_MESSAGE);
}

/** The same for a DNS label. */
export function labelErrors(name: string, prefix = false): string[] {
  return check(prefix ? maskTrailingDash(name) : name, 63, LABEL, LABEL_MESSAGE);
}

function check(value: string, maxLength: number, pattern: RegExp, message: string): string[] {
  const errors: string[] = [];
  if (value.length > maxLength) errors.push(tooLong(maxLength));
  if (!pattern.test(value)) errors.push(message);
  return errors;
}

export function tooLong(maxLength: number): string {
  return `must be no more than ${maxLength} bytes`;
}

function maskTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
}
