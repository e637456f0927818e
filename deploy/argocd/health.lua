-- How a CronJob is, for Argo CD. A run that is under way is Healthy: Progressing would hold up what is synced after it.

-- A sync is not held up by one failed run, which the next one may mend.
local FAILURES_IN_A_ROW = 3

local function health(status, message)
  return { status = status, message = message }
end

if obj.metadata.deletionTimestamp ~= nil then
  return health("Progressing", "The CronJob is being deleted")
end

local conditions = {}
if obj.status ~= nil and obj.status.conditions ~= nil then
  for _, condition in ipairs(obj.status.conditions) do
    conditions[condition.type] = condition
  end
end

local ready = conditions["Ready"]
if ready == nil then
  return health("Progressing", "No controller has looked at the CronJob yet")
end
if ready.observedGeneration ~= nil and ready.observedGeneration < obj.metadata.generation then
  return health("Progressing", "No controller has looked at the latest change yet")
end

if ready.status == "False" or ready.reason == "PausedAfterFailures" or ready.reason == "Excluded" then
  return health("Degraded", ready.reason .. ": " .. ready.message)
end
if ready.reason == "Paused" or ready.reason == "Suspended" then
  return health("Suspended", ready.message)
end
if ready.reason == "Ended" then
  return health("Healthy", ready.message)
end

local overdue = conditions["Overdue"]
if overdue ~= nil and overdue.status == "True" then
  return health("Degraded", overdue.reason .. ": " .. overdue.message)
end

local failures = 0
for _, run in ipairs(obj.status.recentRuns or {}) do
  if run.outcome == "Succeeded" then
    break
  elseif run.outcome == "Failed" then
    failures = failures + 1
  end
end
if failures >= FAILURES_IN_A_ROW then
  return health("Degraded", "The last " .. failures .. " runs failed")
end

return health("Healthy", ready.message)
