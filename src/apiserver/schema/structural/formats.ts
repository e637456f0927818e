import { parseTime } from "../../../base/epoch_ms.ts";

/** Checks of text by its format. Formats that Kubernetes does not check are not here. */
export const TEXT_FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  "date-time": (text) => parseTime(text) !== undefined,
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && parseTime(`${text}T00:00:00Z`) !== undefined,
  duration: (text) => /^[+-]?(\d+(\.\d+)?(ns|us|µs|ms|s|m|h|d|w))+$/.test(text),
  byte: (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text),
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  hostname: (text) => /^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?(\.[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?)*$/.test(text),
  ipv4: (text) => /^(\d{1,3}\.){3}\d{1,3}$/.test(text) && text.split(".").every((part) => Number(part) < 256),
  ipv6: (text) => text.includes(":") && URL.canParse(`http://[${text}]`),
  cidr: (text) => /^[0-9a-fA-F.:]+\/\d{1,3}$/.test(text),
  uri: (text) => URL.canParse(text),
};

/** The whole numbers that a format holds. */
export const NUMBER_RANGES: Readonly<Record<string, readonly [number, number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [-(2 ** 63), 2 ** 63],
};
