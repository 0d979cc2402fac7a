import type { JSX } from 'preact';

import type { PageState } from '../../model/live/page.js';

/** What the blocks do not show: a long start-up, a full thread pool, processes that were not watched, data that is not saved. */
export function Remarks({ remarks = [] }: { remarks: PageState['remarks'] | undefined }): JSX.Element | null {
  if (remarks.length === 0) return null;
  return (
    <div class="remarks">
      {remarks.map((remark) => (
        <p key={remark}>{remark}</p>
      ))}
    </div>
  );
}
