// A program for a test to kill: a kubelet at work on the API server given.
import { HttpKubeClient } from "../../../src/kube/http_client.ts";
import { Kubelet } from "../../../src/kubelet/kubelet.ts";
import { SystemClock } from "../../../src/base/clock.ts";
import { atLeast } from "../../support/expected.ts";

const [server, caCertificate, token, dataDir, nodeName] = atLeast(5, Deno.args);
const client = HttpKubeClient.to({ server, caCertificates: [caCertificate], token });
await new Kubelet({ client, clock: new SystemClock(), dataDir, nodeName }).run(new AbortController().signal);
