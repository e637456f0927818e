-- Asks the controller for a run: a new value of the annotation starts one, as the CronJob's policy allows.
local os = require("os")
obj.metadata.annotations = obj.metadata.annotations or {}
obj.metadata.annotations["cronjob-controller.dev/trigger"] = os.date("!argocd-%Y%m%dT%H%M%SZ")
return obj
