import { scope, setScope } from "../server.ts";

/** Asks for the namespaces of a visitor who may not look at all of them. */
export function NamespacesForm() {
  const look = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setScope(String(form.get("namespaces")).toLowerCase().split(/[\s,]+/).filter(Boolean));
  };
  return (
    <form class="choices" onSubmit={look}>
      <label class="stack">
        <span>Namespaces that you may look at</span>
        <input
          name="namespaces"
          defaultValue={scope.current.join(" ")}
          placeholder="team-a team-b"
          autocomplete="off"
          spellcheck={false}
          autofocus
        />
      </label>
      <button type="submit" class="primary">Look there</button>
      <p class="quiet">
        It takes a Role there that may get, list and watch cronjobs and jobs; for all namespaces a ClusterRole.
      </p>
    </form>
  );
}
