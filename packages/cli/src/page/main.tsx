import 'uplot/dist/uPlot.min.css';
import './styles/theme.css';
import './styles/layout.css';
import './styles/overview.css';
import './styles/tables.css';
import './styles/flame.css';
import './styles/detail.css';

import { render } from 'preact';

import { REPORT_DATA_ID } from '../model/recording.js';
import { App } from './app.js';
import { liveSource } from './data/live-source.js';
import { reportSource } from './data/report-source.js';

const embedded = document.getElementById(REPORT_DATA_ID)?.textContent;
const source = embedded === undefined || embedded === '' ? liveSource() : await reportSource(embedded);
render(<App source={source} />, document.getElementById('app')!);
