"""Characters of texts that are known only at run time: codes at places, and what is found out from them."""
