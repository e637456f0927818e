-- Which actions a CronJob has just now. What another user has paused is theirs to resume.
local pause = (obj.metadata.annotations or {})["cronjob-controller.dev/pause"]

-- Whether it begins as the action "pause" writes it: Argo CD has no library for strings.
local OURS = '{"by":"Argo CD","since":'
local isOurs = pause ~= nil and pause > OURS and pause < OURS .. "~"

local reason
for _, condition in ipairs(obj.status ~= nil and obj.status.conditions or {}) do
  if condition.type == "Ready" then
    reason = condition.reason
  end
end

return {
  ["run"] = { displayName = "Run now", iconClass = "fa fa-fw fa-play-circle" },
  ["pause"] = { disabled = isOurs or reason == "Paused", iconClass = "fa fa-fw fa-pause" },
  ["resume"] = { disabled = not isOurs and reason ~= "PausedAfterFailures" and reason ~= "RecordLost",
    iconClass = "fa fa-fw fa-play" },
}
