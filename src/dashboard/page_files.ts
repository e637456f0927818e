import actionsAct from "./page/actions/act.js" with { type: "text" };
import actionsAsked from "./page/actions/asked.js" with { type: "text" };
import actionsBackfillForm from "./page/actions/backfill_form.js" with { type: "text" };
import actionsDialog from "./page/actions/dialog.js" with { type: "text" };
import actionsNames from "./page/actions/names.js" with { type: "text" };
import actionsNotice from "./page/actions/notice.js" with { type: "text" };
import actionsPauseFields from "./page/actions/pause_fields.js" with { type: "text" };
import actionsRowActions from "./page/actions/row_actions.js" with { type: "text" };
import actionsSelectionBar from "./page/actions/selection_bar.js" with { type: "text" };
import actionsTexts from "./page/actions/texts.js" with { type: "text" };
import app from "./page/app.js" with { type: "text" };
import header from "./page/header.js" with { type: "text" };
import html from "./page/html.js" with { type: "text" };
import index from "./page/index.html" with { type: "text" };
import keys from "./page/keys.js" with { type: "text" };
import keysDialog from "./page/keys_dialog.js" with { type: "text" };
import loadHeatMap from "./page/load/heat_map.js" with { type: "text" };
import main from "./page/main.js" with { type: "text" };
import modelAddress from "./page/model/address.js" with { type: "text" };
import modelClock from "./page/model/clock.js" with { type: "text" };
import modelFilter from "./page/model/filter.js" with { type: "text" };
import modelLiveRows from "./page/model/live_rows.js" with { type: "text" };
import modelNumbers from "./page/model/numbers.js" with { type: "text" };
import modelOrder from "./page/model/order.js" with { type: "text" };
import modelRights from "./page/model/rights.js" with { type: "text" };
import modelSelection from "./page/model/selection.js" with { type: "text" };
import modelStates from "./page/model/states.js" with { type: "text" };
import modelTimes from "./page/model/times.js" with { type: "text" };
import modelValue from "./page/model/value.js" with { type: "text" };
import partsAnnouncer from "./page/parts/announcer.js" with { type: "text" };
import partsBlank from "./page/parts/blank.js" with { type: "text" };
import partsLastWords from "./page/parts/last_words.js" with { type: "text" };
import partsLinkBanner from "./page/parts/link_banner.js" with { type: "text" };
import partsLoading from "./page/parts/loading.js" with { type: "text" };
import partsLogPane from "./page/parts/log_pane.js" with { type: "text" };
import partsModal from "./page/parts/modal.js" with { type: "text" };
import partsRunShapes from "./page/parts/run_shapes.js" with { type: "text" };
import partsStateMark from "./page/parts/state_mark.js" with { type: "text" };
import partsSteady from "./page/parts/steady.js" with { type: "text" };
import partsStrip from "./page/parts/strip.js" with { type: "text" };
import partsThemeButton from "./page/parts/theme_button.js" with { type: "text" };
import partsTimeText from "./page/parts/time_text.js" with { type: "text" };
import partsWindow from "./page/parts/window.js" with { type: "text" };
import server from "./page/server.js" with { type: "text" };
import styleBase from "./page/style/base.css" with { type: "text" };
import styleNarrow from "./page/style/narrow.css" with { type: "text" };
import styleParts from "./page/style/parts.css" with { type: "text" };
import styleTokens from "./page/style/tokens.css" with { type: "text" };
import styleViews from "./page/style/views.css" with { type: "text" };
import theme from "./page/theme.js" with { type: "text" };
import timelineAxis from "./page/timeline/axis.js" with { type: "text" };
import timelineData from "./page/timeline/data.js" with { type: "text" };
import timelineLane from "./page/timeline/lane.js" with { type: "text" };
import timelineLegend from "./page/timeline/legend.js" with { type: "text" };
import timelinePanel from "./page/timeline/panel.js" with { type: "text" };
import timelineScale from "./page/timeline/scale.js" with { type: "text" };
import vendorHooks from "./page/vendor/hooks.js" with { type: "text" };
import vendorHtm from "./page/vendor/htm.js" with { type: "text" };
import vendorPreact from "./page/vendor/preact.js" with { type: "text" };
import viewsAll from "./page/views/all.js" with { type: "text" };
import viewsAttention from "./page/views/attention.js" with { type: "text" };
import viewsCronJob from "./page/views/cron_job.js" with { type: "text" };
import viewsCronJobFacts from "./page/views/cron_job_facts.js" with { type: "text" };
import viewsCronJobRuns from "./page/views/cron_job_runs.js" with { type: "text" };
import viewsCronJobWhy from "./page/views/cron_job_why.js" with { type: "text" };
import viewsLoad from "./page/views/load.js" with { type: "text" };
import viewsLogIn from "./page/views/log_in.js" with { type: "text" };
import viewsTimeline from "./page/views/timeline.js" with { type: "text" };

/** A file of the page, as a browser gets it. */
export interface PageFile {
  readonly type: string;
  readonly text: string;
}

const HTML = "text/html; charset=utf-8";
const CSS = "text/css; charset=utf-8";
const SCRIPT = "text/javascript; charset=utf-8";

/** All files of the page by their paths. They are part of the program: the executable holds the page. */
export const PAGE_FILES: Readonly<Record<string, PageFile>> = {
  "/": { type: HTML, text: index },
  "/page/actions/act.js": script(actionsAct),
  "/page/actions/asked.js": script(actionsAsked),
  "/page/actions/backfill_form.js": script(actionsBackfillForm),
  "/page/actions/dialog.js": script(actionsDialog),
  "/page/actions/names.js": script(actionsNames),
  "/page/actions/notice.js": script(actionsNotice),
  "/page/actions/pause_fields.js": script(actionsPauseFields),
  "/page/actions/row_actions.js": script(actionsRowActions),
  "/page/actions/selection_bar.js": script(actionsSelectionBar),
  "/page/actions/texts.js": script(actionsTexts),
  "/page/app.js": script(app),
  "/page/header.js": script(header),
  "/page/html.js": script(html),
  "/page/keys.js": script(keys),
  "/page/keys_dialog.js": script(keysDialog),
  "/page/load/heat_map.js": script(loadHeatMap),
  "/page/main.js": script(main),
  "/page/model/address.js": script(modelAddress),
  "/page/model/clock.js": script(modelClock),
  "/page/model/filter.js": script(modelFilter),
  "/page/model/live_rows.js": script(modelLiveRows),
  "/page/model/numbers.js": script(modelNumbers),
  "/page/model/order.js": script(modelOrder),
  "/page/model/rights.js": script(modelRights),
  "/page/model/selection.js": script(modelSelection),
  "/page/model/states.js": script(modelStates),
  "/page/model/times.js": script(modelTimes),
  "/page/model/value.js": script(modelValue),
  "/page/parts/announcer.js": script(partsAnnouncer),
  "/page/parts/blank.js": script(partsBlank),
  "/page/parts/last_words.js": script(partsLastWords),
  "/page/parts/link_banner.js": script(partsLinkBanner),
  "/page/parts/loading.js": script(partsLoading),
  "/page/parts/log_pane.js": script(partsLogPane),
  "/page/parts/modal.js": script(partsModal),
  "/page/parts/run_shapes.js": script(partsRunShapes),
  "/page/parts/state_mark.js": script(partsStateMark),
  "/page/parts/steady.js": script(partsSteady),
  "/page/parts/strip.js": script(partsStrip),
  "/page/parts/theme_button.js": script(partsThemeButton),
  "/page/parts/time_text.js": script(partsTimeText),
  "/page/parts/window.js": script(partsWindow),
  "/page/server.js": script(server),
  "/page/style/base.css": { type: CSS, text: styleBase },
  "/page/style/narrow.css": { type: CSS, text: styleNarrow },
  "/page/style/parts.css": { type: CSS, text: styleParts },
  "/page/style/tokens.css": { type: CSS, text: styleTokens },
  "/page/style/views.css": { type: CSS, text: styleViews },
  "/page/theme.js": script(theme),
  "/page/timeline/axis.js": script(timelineAxis),
  "/page/timeline/data.js": script(timelineData),
  "/page/timeline/lane.js": script(timelineLane),
  "/page/timeline/legend.js": script(timelineLegend),
  "/page/timeline/panel.js": script(timelinePanel),
  "/page/timeline/scale.js": script(timelineScale),
  "/page/vendor/hooks.js": script(vendorHooks),
  "/page/vendor/htm.js": script(vendorHtm),
  "/page/vendor/preact.js": script(vendorPreact),
  "/page/views/all.js": script(viewsAll),
  "/page/views/attention.js": script(viewsAttention),
  "/page/views/cron_job.js": script(viewsCronJob),
  "/page/views/cron_job_facts.js": script(viewsCronJobFacts),
  "/page/views/cron_job_runs.js": script(viewsCronJobRuns),
  "/page/views/cron_job_why.js": script(viewsCronJobWhy),
  "/page/views/load.js": script(viewsLoad),
  "/page/views/log_in.js": script(viewsLogIn),
  "/page/views/timeline.js": script(viewsTimeline),
};

/** What is imported as text has for a type that of the script itself. */
function script(text: unknown): PageFile {
  return { type: SCRIPT, text: text as string };
}
