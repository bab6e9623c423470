/** Sorts the tables of a report. The script makes the column heads buttons. */
export const SORT_SCRIPT = `
for (const head of document.querySelectorAll('th')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener('click', () => {
    const row = head.parentElement;
    const at = [...row.children].indexOf(head);
    const isNumber = head.classList.contains('n');
    const was = head.getAttribute('aria-sort');
    const down = was ? was === 'ascending' : isNumber;
    for (const other of row.children) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const body = head.closest('table').tBodies[0];
    const key = (line) => isNumber ? Number(line.cells[at].dataset.n) : line.cells[at].textContent;
    const rows = [...body.rows].map((line) => [key(line), line]);
    rows.sort(([a], [b]) => (isNumber ? a - b : a < b ? -1 : a > b ? 1 : 0) * (down ? -1 : 1));
    body.append(...rows.map(([, line]) => line));
  });
}
`;
