import "./src/telemetry/logging.ts";
