import { namesIn, scope } from "../server.ts";
import { Field, Form } from "./form.tsx";

/** Asks for the namespaces of a visitor who may not look at all of them. */
export function NamespacesForm() {
  return (
    <Form submitLabel="Look there" onSubmit={({ namespaces = "" }) => scope.set(namesIn(namespaces))}>
      <Field
        label="Namespaces that you may look at"
        name="namespaces"
        defaultValue={scope.current.join(" ")}
        placeholder="team-a team-b"
        autofocus
      />
      <p class="quiet">
        It takes a Role there that may get, list and watch cronjobs and jobs; for all namespaces a ClusterRole.
      </p>
    </Form>
  );
}
