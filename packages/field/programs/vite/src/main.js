import * as lodash from 'lodash-es';

document.body.textContent = Object.keys(lodash)
  .map((name) => lodash[name].length)
  .join();
