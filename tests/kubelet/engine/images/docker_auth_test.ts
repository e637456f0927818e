import { assertEquals } from "@std/assert";
import { ownDockerAuth } from "../../../../src/kubelet/engine/images/docker_auth.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { temporaryFolder } from "../../../support/program.ts";
import { testAlone } from "../../../support/test_alone.ts";
import { until } from "../../support/test_kubelet.ts";

const read = (header: string | undefined) =>
  header && JSON.parse(atob(header.replaceAll("-", "+").replaceAll("_", "/")));

testAlone(
  import.meta.url,
  "Images are pulled with the credentials of docker's own file and helpers, none of which is waited for in vain",
  async () => {
    await using folder = await temporaryFolder();
    const helper = (name: string, text: string) =>
      Deno.writeTextFileSync(`${folder.path}/docker-credential-${name}`, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    helper("kept", `read -r registry; echo '{"Username":"of","Secret":"'$registry'"}'`);
    helper("token", `echo '{"Username":"<token>","Secret":"t"}'`);
    helper("none", "exit 1");
    helper("hangs", `touch ${folder.path}/asked; exec sleep 1000`);
    Deno.writeTextFileSync(
      `${folder.path}/config.json`,
      JSON.stringify({
        auths: { "file.example": { auth: btoa("me:secret") } },
        credHelpers: {
          "token.example": "token",
          "none.example": "none",
          "hangs.example": "hangs",
          "gone.example": "gone",
        },
        credsStore: "kept",
      }),
    );
    Deno.env.set("DOCKER_CONFIG", folder.path);
    Deno.env.set("PATH", `${folder.path}:${Deno.env.get("PATH")}`);
    const clock = new FakeClock();
    const asking = { clock, signal: new AbortController().signal };
    const found = async (image: string) => read(await ownDockerAuth(image, asking));
    assertEquals(await found("other.example/a:1"), { username: "of", password: "other.example" });
    assertEquals(await found("docker.io/library/a"), { username: "of", password: "https://index.docker.io/v1/" });
    assertEquals(await found("token.example/a"), { identitytoken: "t" });
    assertEquals(await found("none.example/a"), undefined);
    assertEquals(await found("gone.example/a"), undefined);
    const hanging = found("hangs.example/a");
    await until(() => Deno.readDirSync(folder.path).some(({ name }) => name === "asked"));
    await clock.advance(30_000);
    assertEquals(await hanging, undefined);
  },
);
