// Script of the page.
