import { InvalidArgumentError, type Option } from "commander";
import { type ListenAddress, parseListenAddress } from "../../telemetry/listen_address.ts";
import { option } from "../options.ts";

const DEFAULT = "127.0.0.1:6445";

/** Where a dashboard is served to who started the program: on this machine only. */
export function dashboardAddressOption(): Option {
  return option("--dashboard-address <host:port>", "where the dashboard is served, on this machine only; 0: nowhere")
    .default(parseListenAddress(DEFAULT), DEFAULT).argParser(loopbackAddress);
}

function loopbackAddress(text: string): ListenAddress | "none" {
  const address = parseListenAddress(text);
  if (address === "none" || (address !== undefined && isLoopback(address))) return address;
  throw new InvalidArgumentError("must be 127.0.0.1:port, localhost:port, [::1]:port, or 0 for none.");
}

/** Whether nobody but this machine reaches what listens there. */
function isLoopback({ hostname }: ListenAddress): boolean {
  return hostname !== undefined && ["127.0.0.1", "localhost", "::1"].includes(hostname);
}
