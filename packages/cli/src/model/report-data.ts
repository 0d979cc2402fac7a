/** Id of the element of a report that holds the recording: gzip, as base64. */
export const REPORT_DATA_ID = 'loopwatch-data';
