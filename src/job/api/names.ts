/** Labels, annotations and other fixed words of the Job API. */

export const CONTROLLER_UID_LABEL = "batch.kubernetes.io/controller-uid";

/** Annotation and label of a Pod of an Indexed Job. */
export const COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";
/** Failures of an index before this Pod, as far as they count towards `backoffLimitPerIndex`. */
export const INDEX_FAILURE_COUNT_ANNOTATION = "batch.kubernetes.io/job-index-failure-count";
/** Failures of an index before this Pod that a Pod failure policy let pass. */
export const INDEX_IGNORED_FAILURE_COUNT_ANNOTATION = "batch.kubernetes.io/job-index-ignored-failure-count";

/** Keeps an ended Pod there until the Job's status has counted it. */
export const TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking";

export const COMPLETION_INDEX_ENV = "JOB_COMPLETION_INDEX";

/** `spec.managedBy` of kube-controller-manager's own Job controller, which stands for "the default one". */
export const DEFAULT_JOB_CONTROLLER = "kubernetes.io/job-controller";
/** `spec.managedBy` that asks for this controller. */
export const OUR_JOB_CONTROLLER = "cronjob-controller.dev/job-controller";
