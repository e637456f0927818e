import { isIP } from "node:net";
import type { Check } from "./check.ts";
import { invalidValue } from "./field_errors.ts";

/** Apimachinery `IsValidIPForLegacyField`. */
export const IP: Check = (ip: string, at) => {
  const plain = ip.split(".").map((part) => part.replace(/^0+(?=\d)/, "")).join(".");
  const why = !isIP(plain)
    ? "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
    : plain !== ip
    ? "must not have leading 0s"
    : /^[0:]*:ffff:[\d.]+$/i.test(ip) && "must not be an IPv4-mapped IPv6 address";
  return why && invalidValue(at, ip, why);
};
