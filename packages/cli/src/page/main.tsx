import 'uplot/dist/uPlot.min.css';
import './styles/theme.css';
import './styles/layout.css';
import './styles/overview.css';
import './styles/tables.css';
import './styles/flame.css';
import './styles/detail.css';
import './styles/culprit.css';
import './styles/comparison.css';

import { render } from 'preact';

import { COMPARISON_DATA_ID, type ComparisonReport } from '../model/compare/comparison-report.js';
import { type Recording, REPORT_DATA_ID } from '../model/recording/recording.js';
import { App } from './app.js';
import { ComparisonPage } from './comparison/comparison-page.js';
import { embedded } from './data/embedded.js';
import { liveSource } from './data/live-source.js';
import { reportSource } from './data/report-source.js';
import { Boundary } from './parts/frame/boundary.js';
import { EditorProvider } from './parts/code/editor.js';

// A token in the address has become a cookie: it stays in no bookmark and in no history.
if (new URLSearchParams(location.search).has('token'))
  history.replaceState(null, '', location.pathname + location.hash);

const comparison = await embedded<ComparisonReport>(COMPARISON_DATA_ID);
const recording = await embedded<Recording>(REPORT_DATA_ID);
const page = comparison ? (
  <ComparisonPage report={comparison} />
) : (
  <App source={recording ? reportSource(recording) : liveSource()} />
);
render(
  <EditorProvider>
    <Boundary what="The page">{page}</Boundary>
  </EditorProvider>,
  document.getElementById('app')!,
);
