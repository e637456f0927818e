import type { Session } from "../../wire.ts";
import { useEffect } from "preact/hooks";
import { Field, type Fields, Form } from "../parts/form.tsx";
import { session, useToken } from "../server.ts";

export function LogIn({ who, why, onLoggedIn }: { who: Session; why: string; onLoggedIn: (who: Session) => void }) {
  return (
    <main class="log-in stack">
      <h1>cronjob-controller</h1>
      {who.login === "code"
        ? <ByLink why={why} onLoggedIn={onLoggedIn} />
        : <ByToken why={why} onLoggedIn={onLoggedIn} />}
    </main>
  );
}

function ByLink({ why, onLoggedIn }: { why: string; onLoggedIn: (who: Session) => void }) {
  // Another tab may have logged in.
  useEffect(() => {
    const look = () => session().then((who) => who.isLoggedIn && onLoggedIn(who), () => {/* it is asked again */});
    addEventListener("focus", look);
    return () => removeEventListener("focus", look);
  }, []);
  return (
    <>
      {why !== "" && <p class="error" role="alert">{why}</p>}
      <p>
        Open the link that the program printed when it started. It is good once. For a standalone this prints a new one:
      </p>
      <pre class="well" tabindex={0}>cronjob-controller dashboard --data-dir FOLDER</pre>
      <p>A page of a cluster is served anew, with a new link, by:</p>
      <pre class="well" tabindex={0}>cronjob-controller dashboard</pre>
    </>
  );
}

function ByToken({ why, onLoggedIn }: { why: string; onLoggedIn: (who: Session) => void }) {
  const logIn = async ({ token = "" }: Fields) => {
    useToken(token.trim());
    const who = await session();
    if (!who.isLoggedIn) throw new Error("The cluster does not accept this token.");
    onLoggedIn(who);
  };
  return (
    <Form submitLabel="Log in" error={why || undefined} onSubmit={logIn}>
      <Field label="Token of the cluster" name="token" type="password" required autofocus />
      <p class="quiet">
        You see and do what this token may. It stays in this page alone, and is forgotten when you log out, close the
        page or reload it.
      </p>
      <pre class="well" tabindex={0}>kubectl create token NAME --namespace NAMESPACE</pre>
    </Form>
  );
}
