import { jest } from '@jest/globals';

// CI shares its two cores with strangers, and these tests measure time in child processes. A test that fails there is tried
// once more, its first failure is printed, and the count at the end names it: seen, not hidden. Locally nothing is retried.
if (process.env['CI'] === 'true') jest.retryTimes(1, { logErrorsBeforeRetry: true });
