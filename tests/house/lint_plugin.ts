/** House rules that a linter can see. They hold in `src`, but for what a browser runs. */
const plugin: Deno.lint.Plugin = {
  name: "house",
  rules: {
    "docstring": {
      create: (context) =>
        inSource(context, {
          ExportNamedDeclaration(node) {
            const { declaration } = node;
            if (declaration?.type !== "FunctionDeclaration" && declaration?.type !== "ClassDeclaration") return;
            if (hasDocstring(context, node)) return;
            context.report({
              node: declaration.id ?? node,
              message: "An exported function or class has no docstring",
              hint: "Say what it promises, and what can surprise",
            });
          },
        }),
    },
    "error-grammar": {
      create: (context) =>
        inSource(context, {
          NewExpression({ callee, arguments: [message] }) {
            // What people asked for by a command is answered in sentences of its own.
            if (/\/src\/(?:cli|actions)\//.test(context.filename)) return;
            if (callee.type !== "Identifier" || !ERRORS.test(callee.name) || !message) return;
            const start = startOf(message);
            // A reason in small letters completes the sentence of whoever catches it.
            if (start === undefined || !/^[A-Z]/.test(start) || start.startsWith("Cannot ")) return;
            context.report({
              node: message,
              message: "The message of an error does not begin with 'Cannot'",
              hint: "Say what could not be done, why, and the value: `Cannot read the file x: it is empty`",
            });
          },
        }),
    },
    "clock": {
      create: (context) =>
        context.filename.endsWith("/src/runtime/clock.ts") ? {} : inSource(context, {
          CallExpression(node) {
            if (TIMERS.test(context.sourceCode.getText(node.callee))) context.report({ node, ...NO_CLOCK });
          },
          NewExpression(node) {
            if (context.sourceCode.getText(node) === "new Date()") context.report({ node, ...NO_CLOCK });
          },
        }),
    },
  },
};

export default plugin;

/** Errors whose message is ours alone: an ApiError says it in Kubernetes' words. */
const ERRORS = /^(?:Error|RangeError|TypeError|UnreachableError|LeadershipLostError)$/;
const TIMERS = /^(?:(?:globalThis\.)?set(?:Timeout|Interval)|Date\.now|performance\.now)$/;
const NO_CLOCK = {
  message: "Only src/runtime/clock.ts reads the clock and sets timers",
  hint: "Take a Clock: tests then need not wait",
};

function inSource(context: Deno.lint.RuleContext, visitor: Deno.lint.LintVisitor): Deno.lint.LintVisitor {
  return /\/src\/(?!dashboard\/page\/)/.test(context.filename) ? visitor : {};
}

/** Returns how a message begins, where the code says so. */
function startOf(message: Deno.lint.Node): string | undefined {
  if (message.type === "Literal") return typeof message.value === "string" ? message.value : undefined;
  return message.type === "TemplateLiteral" ? message.quasis[0].cooked : undefined;
}

function hasDocstring({ sourceCode }: Deno.lint.RuleContext, node: Deno.lint.Node): boolean {
  return sourceCode.getCommentsBefore(node).some(({ type, value }) => type === "Block" && value.startsWith("*"));
}
